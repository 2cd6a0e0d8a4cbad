// The one reading of a trace that space_history.h tells of.
#include <utility>

#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/rules/submit/judged_apart.h"
#include "conformance/rules/submit/null_rendering.h"
#include "conformance/rules/submit/silent_engines.h"
#include "conformance/rules/va/space_told.h"
#include "conformance/sdk/device.h"
#include "reference/trace/copied_entries.h"

namespace wddm {
namespace {

using What = SpacesTold::What;

// What is mapped, by the updates of page tables; where a trace has none, all that was not taken out
// of TLBs counts as mapped.
class Mapped {
 public:
  explicit Mapped(const Trace& trace) : trace_(trace), reported_(trace) {}

  void flushed(const ev::TlbFlushBuilt& flush) {
    if (flush.end != 0) flushes_.push_back({flush.process, flush.start, flush.end, kNone});
  }
  void updated(std::uint32_t index, const ev::TableUpdated& update) {
    const std::uint64_t bytes = entry_bytes(update.level, update.flags);
    if (bytes == 0) return;
    updates_.push_back(
        {update.process, update.first_va, update.first_va + update.count * bytes, index});
  }
  // Entries that a table begun anew has from the one before it, and those of other addresses of the
  // process.
  void copied(std::uint32_t index, const ev::EntriesCopied& copied) {
    const std::uint64_t bytes = entry_bytes(copied.level, 0);
    for (const CopiedFrom& from : trace_.blob<CopiedFrom>(trace_.events()[index])) {
      const bool within = copied.level == 0 && from.source_process == copied.process;
      if (bytes == 0 || (from.source_va != from.first_va && !within)) continue;
      updates_.push_back({copied.process, from.first_va, from.first_va + copied.count * bytes,
                          index, from.source_va - from.first_va});
    }
  }
  // Of each level the newest update of the entry on the way decides.
  [[nodiscard]] bool is_mapped(std::uint32_t process, std::uint64_t address) const {
    if (updates_.empty()) return !covered(flushes_, process, address);
    std::uint32_t begun_anew = kNone;  // level whose newest beginning had its entries copied
    std::uint32_t known = 0;           // levels, by bit: the entry there leads to a table
    for (std::size_t i = updates_.size(); i-- > 0;) {
      if (!updates_[i].covers(process, address)) continue;
      if (trace_.events()[updates_[i].event].kind == EventKind::EntriesCopied) {
        // From here on the source decides; the way to the copy was there.
        if (updates_[i].to_source != 0) {
          address += updates_[i].to_source;
          known = 0;
          continue;
        }
        begun_anew = trace_.at<ev::EntriesCopied>(updates_[i].event).level;
        continue;
      }
      const auto update = trace_.at<ev::TableUpdated>(updates_[i].event);
      if (update.level >= mmu::kMostLevels || (known >> update.level & 1) != 0) continue;
      if (update.level == begun_anew && (update.flags & pt::kInitialUpdate) != 0) {
        begun_anew = kNone;
        continue;
      }
      const auto entries = trace_.blob<EntryRecord>(trace_.events()[updates_[i].event]);
      const std::uint64_t index = entries.size() == 1 ? 0
                                                      : (address - update.first_va) /
                                                            entry_bytes(update.level, update.flags);
      if (index >= entries.size()) return false;
      const std::uint32_t flags = entries[index].flags;
      // It may have been a write. That commands are fetched from such pages nobody says: they have
      // addresses of their own.
      if ((flags & entry_flag::kValid) == 0 || (flags & entry_flag::kReadOnly) != 0) return false;
      if (update.level == 0 || (flags & entry_flag::kLargePage) != 0) return true;
      known |= 1u << update.level;
    }
    return false;
  }

 private:
  struct Range {
    std::uint32_t process;
    std::uint64_t start, end;
    std::uint32_t event;
    std::uint64_t to_source = 0;  // of entries that were copied
    [[nodiscard]] bool covers(std::uint32_t of, std::uint64_t address) const {
      return process == of && address >= start && address < end;
    }
  };

  static bool covered(const ScratchVector<Range>& ranges, std::uint32_t process,
                      std::uint64_t address) {
    for (const Range& range : ranges) {
      if (range.covers(process, address)) return true;
    }
    return false;
  }
  [[nodiscard]] std::uint64_t entry_bytes(std::uint32_t of_level, std::uint32_t flags) const {
    return reported_.entry_bytes(of_level, (flags & pt::kUse64KBPages) != 0);
  }

  const Trace& trace_;
  const mmu::ReportedTables reported_;
  ScratchVector<Range> flushes_;
  ScratchVector<Range> updates_;
};

class Reader {
 public:
  Reader(const Trace& trace, SpacesTold& told)
      : trace_(trace), told_(told), mapped_(trace), judged_apart_(submit::judged_apart(trace)) {}

  void read(std::uint32_t index) {
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::ContextCreated) {
      told_.add(What::ContextMade, index);
    }
    if (kind == EventKind::RootSet) read(index, trace_.at<ev::RootSet>(index));
    if (kind == EventKind::TableMoved) {
      told_.add(What::TableMoved, index);
    }
    if (kind == EventKind::TlbFlushBuilt) read(index, trace_.at<ev::TlbFlushBuilt>(index));
    if (kind == EventKind::TableUpdated) mapped_.updated(index, trace_.at<ev::TableUpdated>(index));
    if (kind == EventKind::EntriesCopied) {
      mapped_.copied(index, trace_.at<ev::EntriesCopied>(index));
    }
    if (kind == EventKind::NotAwaited) {
      hurried_.insert(trace_.at<ev::NotAwaited>(index).render);
    }
    if (kind == EventKind::PagingDone) told_.add(What::Paged, index);
    if (kind == EventKind::Submitted) read(index, trace_.at<ev::Submitted>(index));
    if (kind == EventKind::MemoryChecked) read(index, trace_.at<ev::MemoryChecked>(index));
    if (kind == EventKind::MemoryDiffers) read(index, trace_.at<ev::MemoryDiffers>(index));
    if (kind == EventKind::WalkAstray) read(index, trace_.at<ev::WalkAstray>(index));
    if (kind == EventKind::DeviceLogged) read(index, trace_.at<ev::DeviceLogged>(index));
    if (kind == EventKind::IommuFaulted) {
      refused_.insert(trace_.at<ev::IommuFaulted>(index).packet);
    }
    if (kind == EventKind::AccessFaulted) read(index, trace_.at<ev::AccessFaulted>(index));
    if (kind == EventKind::PageFaultReported) {
      said_to_fault_[trace_.at<ev::PageFaultReported>(index).packet] = index;
    }
    if (kind == EventKind::MarkerRead) read(index, trace_.at<ev::MarkerRead>(index));
    if (kind == EventKind::PacketEnded) read(trace_.at<ev::PacketEnded>(index));
  }

 private:
  struct Fault {
    std::uint32_t event = kNone;
    std::uint64_t address = 0;
    std::uint32_t level = kNone;
  };

  void show(SpaceSign sign) {
    if (paging_lost_) return;
    sign.trace = &trace_;
    const bool of_memory =
        sign.kind == SpaceSign::Kind::Right || sign.kind == SpaceSign::Kind::Memory;
    const std::uint32_t packet = sign.packet.packet;
    if (of_memory && (runs_nothing_.contains(packet) || was_stopped(packet))) return;
    if (of_memory && says_nothing_.contains(packet)) return;
    if (of_memory && submit::memory_says_nothing(trace_, packet, sign.event)) return;
    const bool by_chance = sign.packet.hurried && sign.kind != SpaceSign::Kind::Walk;
    if (by_chance) return told_.add(What::Hurried, sign);
    const bool went_on = sign.kind == SpaceSign::Kind::Memory && ran_through_.contains(packet);
    told_.add(went_on ? What::RanThrough : What::Shown, sign);
  }
  void read(std::uint32_t index, const ev::RootSet& set) {
    process_of_[set.context] = set.process;
    told_.add(What::RootSet, index);
  }
  void read(std::uint32_t index, const ev::TlbFlushBuilt& flush) {
    mapped_.flushed(flush);
    told_.add(What::Flushed, index);
  }
  void read(std::uint32_t index, const ev::Submitted& submitted) {
    const auto known = packets_.find(submitted.packet);
    SpacePacket packet = known != packets_.end() ? known->second : SpacePacket{};
    packet.submitted = index;
    if (submitted.paging == 0 && submitted.again != 0) again_.insert(submitted.packet);
    packet.packet = submitted.packet;
    packet.engine = engine_of(submitted);
    packet.address = submitted.address;
    if (submitted.paging == 0) {
      packet.context = submitted.context;
      packet.hurried = hurried_.contains(submitted.render);
      const auto process = process_of_.find(submitted.context);
      if (process != process_of_.end()) packet.process = process->second;
    }
    const std::uint32_t call = trace_.ledger<SubmissionCalls>().begun[next_call_++];
    if (submit::runs_nothing(trace_, call)) runs_nothing_.insert(submitted.packet);
    if (judged_apart_.contains(submitted.render)) says_nothing_.insert(submitted.packet);
    stopped_.erase(submitted.packet);
    faulted_.erase(submitted.packet);
    said_to_fault_.erase(submitted.packet);
    packets_[submitted.packet] = packet;
    by_fence_[{engine_of(submitted), submitted.fence}] = submitted.packet;
    SpacePacket& last = last_on_[engine_of(submitted)];
    told_.add({packet, last});
    last = packet;
  }
  void read(std::uint32_t index, const ev::MemoryChecked& checked) {
    const auto packet = packets_.find(checked.object);
    if (checked.differences != 0 || packet == packets_.end()) return;
    show({.kind = SpaceSign::Kind::Right, .event = index, .packet = packet->second});
  }
  void read(std::uint32_t index, const ev::MemoryDiffers& differs) {
    const auto packet = packets_.find(differs.cause_object);
    // What became of a packet that went on after a preemption is the matter of PREEMPT-015.
    if (packet == packets_.end() || again_.contains(differs.cause_object)) return;
    show({.kind = SpaceSign::Kind::Memory,
          .event = index,
          .packet = packet->second,
          .memory = differs});
  }
  void read(std::uint32_t index, const ev::WalkAstray& walk) {
    const SpacePacket* const packet = of_fence(engine_of(walk), walk.fence);
    if (packet == nullptr) return;
    show({.kind = SpaceSign::Kind::Walk, .event = index, .packet = *packet, .walk = walk});
  }
  void read(std::uint32_t index, const ev::DeviceLogged& logged) {
    const SpacePacket* const packet = of_fence(engine_of(logged), logged.tag);
    if (packet == nullptr) return;
    if (logged.kind == WDDM_DEVICE_FAULT) faulted_.insert(packet->packet);
    if (logged.kind == WDDM_DEVICE_PAGE_FAULT) {
      faulted_.insert(packet->packet);
      faults_[packet->packet] = {index, logged.address, kNone};
    } else if (logged.kind == WDDM_DEVICE_PACKET_STOPPED) {
      stopped_.insert(packet->packet);
    } else if (logged.kind == WDDM_DEVICE_PACKET_BEGIN || logged.kind == WDDM_DEVICE_PACKET_END) {
      stopped_.erase(packet->packet);
    }
  }
  void read(std::uint32_t index, const ev::AccessFaulted& fault) {
    if (const SpacePacket* const packet = of_fence(engine_of(fault), fault.fence)) {
      faulted_.insert(packet->packet);
      faults_[packet->packet] = {index, fault.address, fault.level};
    }
  }
  // What tables hold from then on nobody knows, nor what else was paged. The mark of a packet that
  // a reset took back does not say whether it was to fault.
  void read(const ev::PacketEnded& ended) {
    const bool completed = ended.fate == static_cast<std::uint32_t>(PacketFate::Completed);
    if (completed && ended.paging != 0) paging_lost_ |= was_stopped(ended.packet);
    const bool lost = ended.fate == static_cast<std::uint32_t>(PacketFate::Lost);
    if (lost) said_to_fault_.erase(ended.packet);
  }
  [[nodiscard]] bool was_stopped(std::uint32_t packet) const {
    return stopped_.contains(packet) && !faulted_.contains(packet);
  }
  // Honest packets alone have a mark. What the IOMMU refuses says nothing of page tables.
  void read(std::uint32_t, const ev::MarkerRead& mark) {
    const bool at_end = mark.reason == static_cast<std::uint32_t>(MarkerReason::AtEnd);
    if (at_end && mark.runs > mark.expected) ran_through_.insert(mark.packet);
    const auto fault = faults_.find(mark.packet);
    const auto packet = packets_.find(mark.packet);
    const auto said = said_to_fault_.find(mark.packet);
    const bool unlogged = !faulted_.contains(mark.packet) && !refused_.contains(mark.packet);
    if (at_end && mark.expected != 0 && mark.runs == 0 && unlogged &&
        said != said_to_fault_.end() && packet != packets_.end()) {
      told_.add(What::SaidToFault,
                {.kind = SpaceSign::Kind::Faulted,
                 .event = said->second,
                 .packet = packet->second,
                 .address = trace_.at<ev::PageFaultReported>(said->second).address,
                 .trace = &trace_});
    }
    if (fault == faults_.end() || packet == packets_.end()) return;
    const Fault seen = fault->second;
    faults_.erase(fault);
    if (refused_.contains(mark.packet)) return;
    const SpacePacket& of = packet->second;
    if (!of.hurried && !mapped_.is_mapped(of.process, seen.address)) return;
    show({.kind = SpaceSign::Kind::Faulted,
          .event = seen.event,
          .packet = packet->second,
          .address = seen.address,
          .level = seen.level});
  }
  const SpacePacket* of_fence(EngineId engine, std::uint32_t fence) const {
    const auto found = by_fence_.find({engine, fence});
    if (found == by_fence_.end()) return nullptr;
    const auto packet = packets_.find(found->second);
    return packet == packets_.end() ? nullptr : &packet->second;
  }

  const Trace& trace_;
  SpacesTold& told_;
  Mapped mapped_;
  ScratchMap<std::uint32_t, std::uint32_t> process_of_;  // by context
  ScratchMap<std::uint32_t, SpacePacket> packets_;
  ScratchMap<std::pair<EngineId, std::uint32_t>, std::uint32_t> by_fence_;
  ScratchMap<EngineId, SpacePacket> last_on_;
  ScratchMap<std::uint32_t, Fault> faults_;                 // by packet, until its mark is read
  ScratchMap<std::uint32_t, std::uint32_t> said_to_fault_;  // PageFaultReported by packet
  ScratchSet<std::uint32_t> refused_;                       // packets, by the IOMMU
  ScratchSet<std::uint32_t> again_;                         // packets that were preempted
  ScratchSet<std::uint32_t> hurried_;                       // renders
  std::size_t next_call_ = 0;                               // of SubmissionCalls
  bool paging_lost_ = false;                // packets counted as completed were stopped before
  ScratchSet<std::uint32_t> runs_nothing_;  // packets with NullRendering
  const ScratchSet<std::uint32_t> judged_apart_;  // renders
  ScratchSet<std::uint32_t> says_nothing_;        // their packets
  ScratchSet<std::uint32_t> stopped_;             // packets, by the device's log
  ScratchSet<std::uint32_t> faulted_;      // packets that were at an address that leads nowhere
  ScratchSet<std::uint32_t> ran_through_;  // packets that were to fault
};

}  // namespace

void read_spaces(const Trace& trace, SpacesTold& told) {
  Reader reader(trace, told);
  in_order_of_calls<ev::ContextCreated, ev::RootSet, ev::TableMoved, ev::TlbFlushBuilt,
                    ev::TableUpdated, ev::EntriesCopied, ev::PagingDone, ev::MemoryChecked,
                    ev::MemoryDiffers, ev::WalkAstray, ev::DeviceLogged, ev::IommuFaulted,
                    ev::AccessFaulted, ev::PageFaultReported, ev::MarkerRead, ev::PacketEnded,
                    ev::NotAwaited>(trace, [&](std::uint32_t index) { reader.read(index); });
}

}  // namespace wddm
