// PROC-003: entries that a driver reserved are invalid whenever their table becomes resident, and
// the driver leads them to its own tables again.

#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/scratch.h"

namespace wddm {
namespace {

constexpr std::uint32_t kOffsetBits = 12;

// What an entry that leads to a leaf table covers; 0: not known.
std::uint64_t leaf_coverage(const Trace& trace) {
  const mmu::ReportedTables tables(trace);
  if (!tables.complete()) return 0;
  return std::uint64_t{1} << (kOffsetBits + tables.level(0)->said.index_bits % 32);
}

class OwnTables {
 public:
  OwnTables(const Trace& trace, Judgement& judgement)
      : judgement_(judgement), coverage_(leaf_coverage(trace)) {}

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
    if (altered_.contains(packet)) return;
    for (const Range& range : ranges_) {
      if (address < range.first || address >= range.end) continue;
      judgement_.reached(index);
      judgement_.fail(index,
                      "the driver's own tables are in place again for the work that uses them",
                      "a page fault at an address that the driver reserved",
                      {range.reserved, range.reset == kNone ? range.reserved : range.reset});
      return;
    }
  }
  void on(std::uint32_t index, const ev::WalksJudged& judged) {
    if (judged.reserved == 0) return;
    for (const Range& range : ranges_) {
      if (range.reset != kNone) return judgement_.reached(index);
    }
  }
  // Which entries beside them change is seen where the table is looked at.
  void compared(const pt::CarriedOut& one) {
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

 private:
  struct Range {
    std::uint32_t process = kNone;
    std::uint64_t first = 0, end = 0;
    std::uint32_t reserved = kNone;  // event
    std::uint32_t reset = kNone;     // event: its entries were made invalid
  };
  [[nodiscard]] bool touches(const Range& range, const ev::TableUpdated& update) const {
    return update.first_va < range.end && range.first < update.first_va + update.count * coverage_;
  }

  Judgement& judgement_;
  std::uint64_t coverage_;
  ScratchVector<Range> ranges_;
  ScratchSet<std::uint32_t> altered_;  // packets
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  if (trace.of<ev::RangeReserved>().empty()) return;
  OwnTables own(trace, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::RangeReserved, ev::TableUpdated, ev::PrivateDataGiven, ev::AccessFaulted,
                    ev::PageFaultReported, ev::WalksJudged>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::RangeReserved) {
      own.on(index, Trace::as<ev::RangeReserved>(event));
    } else if (event.kind == EventKind::TableUpdated) {
      own.on(index, trace.at<ev::TableUpdated>(index));
    } else if (event.kind == EventKind::PrivateDataGiven) {
      own.on(Trace::as<ev::PrivateDataGiven>(event));
    } else if (event.kind == EventKind::AccessFaulted) {
      const auto fault = Trace::as<ev::AccessFaulted>(event);
      own.faulted(index, fault.address, fault.packet);
    } else if (event.kind == EventKind::PageFaultReported) {
      const auto fault = trace.at<ev::PageFaultReported>(index);
      own.faulted(index, fault.address, fault.packet);
    } else {
      own.on(index, Trace::as<ev::WalksJudged>(event));
    }
  }
  pt::for_each_carried_out(trace, [&](const pt::CarriedOut& one) { own.compared(one); });
}

const Rule kRule{
    .id = "PROC-003",
    .title = "A driver leads its reserved entries to its own tables again after each reset",
    .evidence = Evidence::DeviceLog,
    .rule =
        "Entries that lead to what a driver has reserved are written as invalid each time the page "
        "table that holds them becomes resident, and else left alone. The driver writes them again "
        "before work needs them, and never another entry.",
    .sources = "nc-d3dkmddi-dxgkcb_reservegpuvirtualaddressrange.md # remarks",
    .note =
        "A reservation is in multiples of what a leaf table covers, so that the entries are those "
        "of level 1, whether or not that is the root. A table that moves becomes resident at its "
        "new place. A driver that reserves and never uses what it reserved is judged by the "
        "entries beside it alone. Without a log of the device only faults that the driver reports "
        "are seen.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::Services},
    .scenario = R"(
about: work before and after the table with the reserved entries moves, and after it was away
ops:
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
)",
    .control = R"(
about: nothing moves
ops:
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
}  // namespace wddm
