// PT-028: when an allocation has moved, every leaf entry that led to it is written anew before work
// of that process that was decided on afterwards is submitted. Windows' half of PT-005 and PT-027.
//
// What VidMm had decided on before does not use the allocation, or has run by then.

#include "conformance/rules/hex_text.h"
#include "conformance/rules/pt/leaf_entries.h"
#include "conformance/rules/pt/moved_contents.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::pt_028 {
namespace {

class EntriesOfMoved {
 public:
  EntriesOfMoved(const Trace& trace, Judgement& judgement)
      : trace_(trace), judgement_(judgement), entries_(trace), packets_(trace) {}

  void read(std::uint32_t index) {
    entries_.read(index);
    packets_.read(index);
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::TransferBuilt) {
      transferred(index, trace_.at<ev::TransferBuilt>(index).allocation);
    } else if (kind == EventKind::Submitted) {
      submitted(index, trace_.at<ev::Submitted>(index));
    }
  }

 private:
  // Windows of the paging process show it where it is to be seen, which is its own affair.
  void transferred(std::uint32_t index, std::uint32_t allocation) {
    if (allocation == kNone) return;
    moved_[allocation] = index;
    entries_.go_stale(index, [&](const pt::LeafRun& run) { return run.allocation == allocation; });
  }
  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    const std::uint32_t process = packets_.process_of(packet);
    const std::uint32_t planned = packets_.planned(packet);
    if (packet.paging != 0 || process == kNone || planned == kNone) return;
    if (const pt::LeafRun* const stale = entries_.stale_of(process, planned)) {
      judgement_.reached(index);
      return judgement_.fail(index,
                             "entries of process " + std::to_string(process) + " for allocation " +
                                 std::to_string(stale->allocation) +
                                 " that were written since it moved",
                             "those for address " + hex_text(stale->first) + " were not",
                             {stale->built, stale->stale});
    }
    for (const pt::LeafRun& run : entries_.runs()) {
      const auto moved = moved_.find(run.allocation);
      if (run.process != process || moved == moved_.end() || moved->second > planned) continue;
      return judgement_.reached(index);
    }
  }

  const Trace& trace_;
  Judgement& judgement_;
  pt::LeafEntries entries_;
  pt::PlannedPackets packets_;
  ScratchMap<std::uint32_t, std::uint32_t> moved_;  // TransferBuilt, by allocation
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  EntriesOfMoved moves(trace, judgement);
  in_order_of_calls<ev::TableUpdated, ev::EntriesCopied, ev::TableMoved, ev::ProcessCreated,
                    ev::DeviceStarted, ev::RootSet, ev::PortionPlanned, ev::TransferBuilt>(
      trace, [&](std::uint32_t index) { moves.read(index); });
}

const Rule kRule{
    .id = "PT-028",
    .title = "All entries of a surface that moves are written before its processes go on",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "When an allocation changes its place, Windows has every leaf entry that leads to it "
        "written by UpdatePageTable, in every process, to the new pages or to none, before a "
        "context that can reach it is given work again.",
    .sources =
        "gpu-virtual-address.md # Updating page table\n"
        "gpu-virtual-memory-in-wddm-2-0.md # Introduction",
    .note =
        "That each of these updates takes effect is PT-005, and PT-027 where several processes "
        "have opened the allocation.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: an allocation with three addresses moves, and leaves memory
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- map_address: {allocation: 1, at: bit, bit: 26}
- map_address: {allocation: 1, at: bit, bit: 27}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
)",
    .control = pt::kOneAddressMoves,
    .fault = {.about = "of the addresses of an allocation that moves the highest alone is written",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::MoveOneAddress}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_028
