// PGSZ-003: what may lie in a segment of 64 KB pages has whole pages of its own.
//
// Judged is what an allocation takes: where its first page lies, by the first entry that leads to
// it, and how much is brought in, by the virtual fills and transfers before that; a fill of some
// bytes of it later says nothing. Left out: page tables, whose size and alignment their driver
// says.

#include <algorithm>

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::pgsz_003 {
namespace {

constexpr std::uint32_t kSegmentUses64KBPages = 1u << 11;  // of DXGK_SEGMENTFLAGS
constexpr std::uint64_t kPage = 4096, kLargePage = 65536;

bool in_large_pages(const PlatformSegment& segment) {
  return (segment.flags.value & kSegmentUses64KBPages) != 0;
}

std::uint32_t segments_of_large_pages(const Platform& platform) {
  std::uint32_t set = 0;
  for (std::size_t i = 0; i < platform.segments.size() && i < 32; ++i) {
    if (in_large_pages(platform.segments[i])) set |= 1u << i;
  }
  return set;
}

// The memory segment that a page lies in; null: another kind of memory.
const PlatformSegment* segment_of(const Platform& platform, const EntryRecord& entry) {
  if (!pt::leads_somewhere(entry) || pt::is_system(entry)) return nullptr;
  for (const PlatformSegment& segment : platform.segments) {
    const bool inside = entry.address - segment.base < segment.size;
    if (!segment.flags.aperture() && inside) return &segment;
  }
  return nullptr;
}

class Allocations {
 public:
  Allocations(const Trace& trace, const Platform& platform, Judgement& judgement)
      : trace_(trace),
        platform_(platform),
        judgement_(judgement),
        large_(segments_of_large_pages(platform)) {}

  void read(std::uint32_t index) {
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::AllocationCreated) {
      const auto created = trace_.at<ev::AllocationCreated>(index);
      brought_in_.erase(created.allocation);
      if ((created.write_set & large_) != 0) brought_in_[created.allocation] = {};
    } else if (kind == EventKind::PagingBuilt) {
      built_ = index;
      follow(index, trace_.at<ev::PagingBuilt>(index));
    } else {
      judge(index, trace_.at<ev::TableUpdated>(index));
    }
  }

 private:
  struct Contents {
    std::uint64_t end = 0;  // behind all that has been filled or transferred, part by part
    std::uint32_t event = kNone;
  };

  void follow(std::uint32_t index, const ev::PagingBuilt& call) {
    const bool contents = call.operation == DXGK_OPERATION_VIRTUAL_FILL ||
                          call.operation == DXGK_OPERATION_VIRTUAL_TRANSFER;
    const auto found = brought_in_.find(call.allocation);
    const auto arguments = trace_.blob<PagingArguments>(trace_.events()[index]);
    if (!contents || found == brought_in_.end() || arguments.empty()) return;
    const PagingArguments& part = arguments.front();
    Contents& all = found->second;
    if (part.offset > all.end) return;
    all = {std::max(all.end, part.offset + part.size), index};
  }

  void judge(std::uint32_t index, const ev::TableUpdated& update) {
    if (update.level != 0) return;
    const auto entries = trace_.blob<EntryRecord>(trace_.events()[index]);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const PlatformSegment* const segment = segment_of(platform_, entries[i]);
      if ((update.flags & pt::kUse64KBPages) != 0 && pt::leads_somewhere(entries[i])) {
        judgement_.reached(index);
        if (segment == nullptr || !in_large_pages(*segment)) {
          judgement_.fail(index, "entries of 64 KB for a segment that is managed in such pages",
                          pt::text_of(entries[i]) + ", in " + pt::text_of(update));
        }
        if (segment == nullptr) return;
      }
      if (segment == nullptr) continue;
      return judge_first(index, update, entries[i], i, *segment);
    }
  }

  // The arguments say how far into its allocation the update begins; one that writes entries of
  // another's too names none.
  void judge_first(std::uint32_t index, const ev::TableUpdated& update, const EntryRecord& entry,
                   std::size_t i, const PlatformSegment& segment) {
    const auto found = brought_in_.find(update.allocation);
    const bool client = update.process != kSystemProcessNumber;
    if (!client || !in_large_pages(segment) || found == brought_in_.end()) return;
    if ((update.flags & pt::kInitialUpdate) != 0 || built_ == kNone) return;
    const auto arguments = trace_.blob<PagingArguments>(trace_.events()[built_]);
    const auto call = trace_.at<ev::PagingBuilt>(built_);
    if (arguments.empty() || call.operation != DXGK_OPERATION_UPDATE_PAGE_TABLE) return;
    const std::uint64_t page = (update.flags & pt::kUse64KBPages) != 0 ? kLargePage : kPage;
    const std::uint64_t first = entry.address - segment.base - i * page - arguments.front().offset;
    // Both are judged at once; without a fill or transfer before it nothing tells the size.
    const Contents contents = found->second;
    found->second.event = kNone;
    if (contents.event != kNone || first % kLargePage != 0) judgement_.reached(index);
    if (first % kLargePage != 0) {
      judgement_.fail(index, "an allocation that begins where a page of 64 KB does",
                      "it begins " + std::to_string(first % kLargePage) + " bytes into one",
                      {built_});
    }
    if (contents.event == kNone || contents.end % kLargePage == 0) return;
    judgement_.fail(index, "an allocation that has whole pages of 64 KB",
                    std::to_string(contents.end) + " bytes were brought in", {contents.event});
  }

  const Trace& trace_;
  const Platform& platform_;
  Judgement& judgement_;
  std::uint32_t large_;
  std::uint32_t built_ = kNone;  // the latest PagingBuilt
  ScratchMap<std::uint32_t, Contents> brought_in_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Allocations allocations(trace, platform, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::AllocationCreated, ev::PagingBuilt, ev::TableUpdated>()) {
    allocations.read(index);
  }
}

NotApplicable large_segments(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return segments_of_large_pages(platform) != 0 ? nullptr : "no segment has 64 KB pages";
}

const Rule kRule{
    .id = "PGSZ-003",
    .title = "With 64 KB management allocations are aligned and sized to 64 KB",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "Size and place of an allocation that may lie in a segment with Use64KBPages are multiples "
        "of 64 KB, so that no two share such a page. Entries of 64 KB are written only for memory "
        "of such a segment.",
    .sources =
        "gpu-virtual-address.md # Physical page size\n"
        "support-for-64kb-pages.md\n"
        "gpummu-model.md",
    .note =
        "What a driver does with sixteen entries of 4 KB for such a page, PGSZ-005 judges, and its "
        "Alignment PGSZ-002.",
    .applies = large_segments,
    .check = check,
    .played_in = {Configured::Pages64K, Configured::Pairs},
    .scenario = R"(
about: two allocations that are smaller than a page of 64 KB, and one that is larger
ops:
- create_allocation: {allocation: 1, pages: 2, place: local}
- create_allocation: {allocation: 2, pages: 2, place: local}
- create_allocation: {allocation: 3, pages: 17, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- make_resident: {allocation: 3}
- idle
)",
    .control = R"(
about: an allocation of whole pages
ops:
- create_allocation: {allocation: 1, pages: 16, place: local}
- make_resident: {allocation: 1}
- idle
)",
    .fault = {.about = "allocations are as large as their driver says",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::SizesInSmallPages}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pgsz_003
