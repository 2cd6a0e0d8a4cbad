// PROC-003: entries that a driver reserved are invalid whenever their table becomes resident, and
// the driver leads them to its own tables again. Those are the GPU's: through an IOMMU nothing is
// reached there.

#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/proc/io_mmu_contexts.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/scratch.h"

namespace wddm::proc_003 {
namespace {

constexpr std::uint32_t kOffsetBits = 12;

// What an entry that leads to a leaf table covers; 0: not known.
std::uint64_t leaf_coverage(const Trace& trace) {
  const mmu::ReportedTables tables(trace);
  if (!tables.complete()) return 0;
  return std::uint64_t{1} << (kOffsetBits + tables.level(0)->said.index_bits % 32);
}

// Packets by whose address space they ran in, while their walks may still be counted.
class Packets {
 public:
  struct One {
    std::uint32_t process = kNone;
    std::uint32_t submitted = kNone;  // event
    bool by_iommu = false;
    bool ended = false;
  };
  void on(const ev::ContextCreated& created) {
    if (!proc::was_made(created)) return;
    if (proc::uses_io_mmu(created)) {
      by_iommu_.insert(created.context);
    } else {
      by_iommu_.erase(created.context);
    }
  }
  void on(const ev::RootSet& set) { process_of_[set.context] = set.process; }
  void on(std::uint32_t index, const ev::Submitted& submitted) {
    const auto process = process_of_.find(submitted.context);
    const std::uint32_t unknown = submitted.paging != 0 ? kSystemProcessNumber : kNone;
    all_[submitted.packet] = {
        .process = process == process_of_.end() ? unknown : process->second,
        .submitted = index,
        .by_iommu = submitted.paging == 0 && by_iommu_.contains(submitted.context)};
  }
  void on(const ev::PacketEnded& ended) {
    const auto found = all_.find(ended.packet);
    if (found != all_.end()) found->second.ended = true;
  }
  // Of one that is not known: kNone as its process.
  [[nodiscard]] One of(std::uint32_t packet) const {
    const auto found = all_.find(packet);
    return found == all_.end() ? One{} : found->second;
  }
  // Those that have run since the last call.
  template <class Each>
  void take(Each each) {
    for (auto& [packet, one] : all_) {
      if (one.submitted == kNone) continue;
      each(one);
      if (one.ended) one.submitted = kNone;
    }
  }

 private:
  ScratchMap<std::uint32_t, std::uint32_t> process_of_;  // by context
  ScratchSet<std::uint32_t> by_iommu_;                   // contexts
  ScratchMap<std::uint32_t, One> all_;
};

class OwnTables {
 public:
  OwnTables(const Trace& trace, Judgement& judgement)
      : trace_(trace), judgement_(judgement), coverage_(leaf_coverage(trace)) {}

  void read(std::uint32_t index) {
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::RangeReserved) on(index, trace_.at<ev::RangeReserved>(index));
    if (kind == EventKind::TableUpdated) on(index, trace_.at<ev::TableUpdated>(index));
    if (kind == EventKind::TableCompared) compared(index, trace_.at<ev::TableCompared>(index));
    if (kind == EventKind::PrivateDataGiven) on(trace_.at<ev::PrivateDataGiven>(index));
    if (kind == EventKind::ContextCreated) packets_.on(trace_.at<ev::ContextCreated>(index));
    if (kind == EventKind::RootSet) packets_.on(trace_.at<ev::RootSet>(index));
    if (kind == EventKind::Submitted) packets_.on(index, trace_.at<ev::Submitted>(index));
    if (kind == EventKind::PacketEnded) packets_.on(trace_.at<ev::PacketEnded>(index));
    if (kind == EventKind::AccessFaulted) {
      const auto fault = trace_.at<ev::AccessFaulted>(index);
      faulted(index, fault.address, fault.packet);
    }
    if (kind == EventKind::PageFaultReported) {
      const auto fault = trace_.at<ev::PageFaultReported>(index);
      faulted(index, fault.address, fault.packet);
    }
    if (kind == EventKind::WalksJudged) on(index, trace_.at<ev::WalksJudged>(index));
    if (kind == EventKind::DdiEntered) on(trace_.at<ev::DdiEntered>(index));
  }

 private:
  struct Range {
    std::uint32_t process = kNone;
    std::uint64_t first = 0, end = 0;
    std::uint32_t reserved = kNone;  // event
    std::uint32_t reset = kNone;     // event: its entries were made invalid
  };

  void on(std::uint32_t index, const ev::RangeReserved& range) {
    if ((range.status & 0x80000000u) != 0 || range.process == kNone) return;
    ranges_.push_back({.process = range.process,
                       .first = range.start,
                       .end = range.start + range.size,
                       .reserved = index});
  }
  void on(std::uint32_t index, const ev::TableUpdated& update) {
    if (coverage_ == 0 || update.level != 1) return;
    for (Range& range : ranges_) {
      if (update.process != range.process || !touches(range, update)) continue;
      range.reset = index;
    }
  }
  void on(const ev::PrivateDataGiven& given) {
    if (given.hostile != 0 || given.commands_hostile != 0) altered_.insert(given.packet);
  }
  // What a packet without altered commands accesses there, the driver had it access.
  void faulted(std::uint32_t index, std::uint64_t address, std::uint32_t packet) {
    const Packets::One of = packets_.of(packet);
    if (altered_.contains(packet) || of.process == kNone) return;
    for (const Range& range : ranges_) {
      if (range.process != of.process || address < range.first || address >= range.end) continue;
      judgement_.reached(index);
      judgement_.fail(index,
                      of.by_iommu
                          ? "work that reaches memory through the IOMMU uses nothing that the "
                            "driver reserved"
                          : "the driver's own tables are in place again for the work that uses "
                            "them",
                      "a page fault at an address that the driver reserved",
                      {range.reserved, range.reset == kNone ? range.reserved : range.reset});
      return;
    }
  }
  void on(std::uint32_t index, const ev::WalksJudged& judged) {
    // Whose walks were of reserved addresses is not said: all that can have been count.
    bool any = false, all = true;
    packets_.take([&](const Packets::One& packet) {
      for (const Range& range : ranges_) {
        if (range.process != packet.process) continue;
        any = true;
        all = all && range.reset != kNone && range.reset < packet.submitted;
      }
    });
    if (judged.reserved != 0 && any && all) judgement_.reached(index);
  }
  // A process takes its ranges with it, and an adapter that starts finds none.
  void on(const ev::DdiEntered& call) {
    if (call.ddi == static_cast<std::uint32_t>(DdiId::StartDevice)) ranges_.clear();
    if (call.ddi != static_cast<std::uint32_t>(DdiId::DestroyProcess)) return;
    std::erase_if(ranges_, [&](const Range& range) { return range.process == call.object; });
  }
  // Which entries beside them change is seen where the table is looked at.
  void compared(std::uint32_t index, const ev::TableCompared& seen) {
    const std::span<const std::uint32_t> updates = trace_.of<ev::TableUpdated>();
    if (seen.update >= updates.size()) return;
    const pt::CarriedOut one{.event = index,
                             .compared = seen,
                             .built = updates[seen.update],
                             .update = trace_.at<ev::TableUpdated>(updates[seen.update])};
    if (coverage_ == 0 || one.update.level != 1 || one.update.entry_bytes == 0) return;
    const std::uint64_t start = one.update.first_va - one.update.first * coverage_;
    const std::uint64_t end = start + one.update.entries * coverage_;
    for (const Range& range : ranges_) {
      if (range.process != one.update.process || range.end <= start || end <= range.first) continue;
      judgement_.reached(one.event);
      if (one.compared.outside == 0) continue;
      judgement_.fail(one.event, "entries beside those that the driver reserved are as they were",
                      std::to_string(one.compared.outside) + " bytes are not, from offset " +
                          std::to_string(one.compared.first_outside) + " of the table on",
                      {range.reserved, one.built});
      return;
    }
  }

  [[nodiscard]] bool touches(const Range& range, const ev::TableUpdated& update) const {
    return update.first_va < range.end && range.first < update.first_va + update.count * coverage_;
  }

  const Trace& trace_;
  Judgement& judgement_;
  std::uint64_t coverage_;
  Packets packets_;
  ScratchVector<Range> ranges_;
  ScratchSet<std::uint32_t> altered_;  // packets
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  if (trace.of<ev::RangeReserved>().empty()) return;
  OwnTables own(trace, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::RangeReserved, ev::TableUpdated, ev::TableCompared, ev::PrivateDataGiven,
                    ev::ContextCreated, ev::RootSet, ev::Submitted, ev::PacketEnded,
                    ev::AccessFaulted, ev::PageFaultReported, ev::WalksJudged, ev::DdiEntered>()) {
    own.read(index);
  }
}

const Rule kRule{
    .id = "PROC-003",
    .title = "A driver leads its reserved entries to its own tables again after each reset",
    .evidence = Evidence::DeviceLog,
    .rule =
        "Entries that lead to what a driver has reserved are written as invalid each time the page "
        "table that holds them becomes resident, and else left alone. The driver writes them again "
        "before work needs them, and never another entry. They are of the GPU's tables: contexts "
        "that use the IOMMU reach memory by those of the CPU, and nothing of the driver's there.",
    .sources =
        "nc-d3dkmddi-dxgkcb_reservegpuvirtualaddressrange.md # remarks\n"
        "iommu-model.md",
    .note =
        "A reservation is in multiples of what a leaf table covers, so that the entries are those "
        "of level 1, whether or not that is the root. A table that moves becomes resident at its "
        "new place. A driver that reserves and never uses what it reserved is judged by the "
        "entries beside it alone. Without a log of the device only faults that the driver reports "
        "are seen.",
    .unreached = "the driver reserves no GPU virtual addresses",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::Services, Configured::ServicesUpdates, Configured::ReservedInRoot,
                  Configured::Linked, Configured::IoMmu, Configured::LinkedUnlikeMmus},
    .scenario = R"(
about: work before and after the table with the reserved entries moves, and after it was away
ops:
- configure: {setting: ReservedRanges, value: 1}
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
- create_allocation: {allocation: 1, device: 1}
- map_address: {allocation: 1, at: top}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x11111111}
- idle
- move_table: {allocation: 1, level: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- evict_tables: {device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
# Of a link the other GPU has tables of its own, with entries of the driver's in them.
- physical_adapter: {index: 1}
- create_context: {context: 2, device: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 8, value: 1}
- idle
- move_table: {allocation: 1, level: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 12, value: 1}
- idle
- evict_tables: {device: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 16, value: 1}
- idle
# Contexts of both GPUs that may use the IOMMU, where the process has nothing but its allocations.
- create_context: {context: 3, device: 1, node: 1}
- physical_adapter: {index: 0}
- create_context: {context: 4, device: 1, node: 1}
- create_allocation: {allocation: 2, device: 1, place: aperture}
- render: {context: 3}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 64, value: 0x22222222}
- idle
- render: {context: 4}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 0, value: 1}
- idle
)",
    .control = R"(
about: nothing moves
ops:
- configure: {setting: ReservedRanges, value: 1}
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
- create_allocation: {allocation: 1, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x11111111}
- idle
)",
    .fault = {.about = "entries are written once for each process, and relied on",
              .seat = FaultSeat::Variant,
              .variant = 13}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::proc_003
