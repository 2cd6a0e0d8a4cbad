#include "conformance/rules/va/space_history.h"

#include "conformance/rules/differing_memory.h"
#include "conformance/rules/va/space_told.h"
#include "reference/trace/names.h"

namespace wddm {
namespace {

const char* text_of(std::uint32_t why) {
  switch (AstrayWalk{why}) {
    case AstrayWalk::NoTable:
      return "where no page table is";
    case AstrayWalk::FormerTable:
      return "where a page table was once";
    case AstrayWalk::OtherSpace:
      return "in a page table of another process";
    case AstrayWalk::OtherLevel:
      return "in a page table of another level";
    case AstrayWalk::OtherIndex:
      return "at an entry for other addresses";
    case AstrayWalk::BehindRoot:
      return "behind the last entry of the root";
  }
  return "astray";
}

}  // namespace

void SpaceObserver::submitted(const SpacePacket&, const SpacePacket&) {}

std::string SpaceSign::seen() const {
  switch (kind) {
    case Kind::Right:
      return "memory as it must be";
    case Kind::Memory:
      return (packet.packet == kNone ? std::string()
                                     : "after packet " + std::to_string(packet.packet) + ' ') +
             difference_text(memory);
    case Kind::Walk:
      return "for address " + hex_text(walk.address) + " an entry of level " +
             std::to_string(walk.level) + " was read at " + hex_text(walk.entry) + ", " +
             text_of(walk.why);
    case Kind::Faulted:
      return "an access to address " + hex_text(address) + " found no translation" +
             (level == kNone ? std::string() : " at level " + std::to_string(level));
  }
  return {};
}

void SpacesTold::tell(SpaceObserver& observer) const {
  for (const auto& [what, at] : told_) {
    switch (what) {
      case What::ContextMade:
        observer.context_made(at, trace_.at<ev::ContextCreated>(at));
        break;
      case What::RootSet:
        observer.root_set(at, trace_.at<ev::RootSet>(at));
        break;
      case What::TableMoved:
        observer.table_moved(at, trace_.at<ev::TableMoved>(at));
        break;
      case What::Flushed:
        observer.flushed(at, trace_.at<ev::TlbFlushBuilt>(at));
        break;
      case What::Submitted:
        observer.submitted(submissions_[at].packet, submissions_[at].before);
        break;
      case What::Paged:
        observer.paged(at, trace_.at<ev::PagingDone>(at));
        break;
      case What::Shown:
        observer.shown(signs_[at]);
        break;
      case What::RanThrough:
        observer.ran_through(signs_[at]);
        break;
      case What::SaidToFault:
        observer.said_to_fault(signs_[at]);
        break;
      case What::Hurried:
        observer.hurried(signs_[at]);
        break;
    }
  }
}

void observe_spaces(const Trace& trace, SpaceObserver& observer) {
  trace.ledger<SpacesTold>().tell(observer);
}

std::uint64_t root_entry_bytes(const Trace& trace) {
  for (const std::uint32_t index : trace.of<ev::PageTableLevelReported>()) {
    const auto level = trace.at<ev::PageTableLevelReported>(index);
    if (level.level == 0 && level.index_bits < 52) {
      return std::uint64_t{1} << (12 + level.index_bits);
    }
  }
  return 0;
}

}  // namespace wddm
