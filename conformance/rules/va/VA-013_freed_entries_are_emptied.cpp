// VA-013: the entries of addresses that were given back, or given to another allocation, are
// written before work of the process that was decided on afterwards is submitted. Windows' half of
// VA-007.
//
// Who does not wait for what it has asked for may come ahead of it, and is not judged.

#include "conformance/rules/hex_text.h"
#include "conformance/rules/pt/leaf_entries.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/rules/va/requested_ranges.h"

namespace wddm::va_013 {
namespace {

class ChangedEntries {
 public:
  ChangedEntries(const Trace& trace, Judgement& judgement)
      : trace_(trace), judgement_(judgement), entries_(trace), packets_(trace) {}

  void read(std::uint32_t index) {
    entries_.read(index);
    packets_.read(index);
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::ProcessCreated) {
      changed_.erase(trace_.at<ev::ProcessCreated>(index).process);
    } else if (kind == EventKind::DeviceStarted) {
      changed_.clear();
    } else if (kind == EventKind::NotAwaited) {
      hurried_.insert(trace_.at<ev::NotAwaited>(index).render);
    } else if (kind == EventKind::AddressAnswered) {
      answered(index, trace_.at<ev::AddressAnswered>(index));
    } else if (kind == EventKind::Submitted) {
      submitted(index, trace_.at<ev::Submitted>(index));
    }
  }

 private:
  void answered(std::uint32_t index, const ev::AddressAnswered& one) {
    const bool frees = va::is(one, AddressRequest::Free);
    if (one.refused != 0 || (!frees && !va::is(one, AddressRequest::Map))) return;
    const std::uint64_t first = frees ? one.base : one.address;
    entries_.cut(one.process, first);
    entries_.cut(one.process, first + one.size);
    const std::uint32_t count = entries_.go_stale(index, [&](const pt::LeafRun& run) {
      return run.process == one.process && run.first < first + one.size && first < run.end &&
             (frees || run.allocation != one.allocation);
    });
    if (count != 0) changed_[one.process] = index;
  }
  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    const std::uint32_t process = packets_.process_of(packet);
    const std::uint32_t planned = packets_.planned(packet);
    if (packet.paging != 0 || process == kNone || planned == kNone) return;
    if (hurried_.contains(packet.render)) return;
    if (const pt::LeafRun* const stale = entries_.stale_of(process, planned)) {
      judgement_.reached(index);
      return judgement_.fail(index,
                             "entries for address " + hex_text(stale->first) + " of process " +
                                 std::to_string(process) + " that were written since",
                             "they lead to allocation " + std::to_string(stale->allocation) +
                                 ", whose the address is no more",
                             {stale->built, stale->stale});
    }
    const auto changed = changed_.find(process);
    if (changed == changed_.end() || changed->second > planned) return;
    judgement_.reached(index);
    changed_.erase(changed);
  }

  const Trace& trace_;
  Judgement& judgement_;
  pt::LeafEntries entries_;
  pt::PlannedPackets packets_;
  ScratchSet<std::uint32_t> hurried_;                 // renders
  ScratchMap<std::uint32_t, std::uint32_t> changed_;  // AddressAnswered, by process
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ChangedEntries requests(trace, judgement);
  in_order_of_calls<ev::TableUpdated, ev::EntriesCopied, ev::TableMoved, ev::ProcessCreated,
                    ev::DeviceStarted, ev::RootSet, ev::PortionPlanned, ev::NotAwaited,
                    ev::AddressAnswered>(trace, [&](std::uint32_t index) { requests.read(index); });
}

const Rule kRule{
    .id = "VA-013",
    .title = "Entries of addresses that are given back are written before the process goes on",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "When addresses are given back, or mapped to another allocation, Windows has the entries "
        "that led to the one before written, or takes their table away, before work of the process "
        "comes that was decided on afterwards. What is given out again leads to nothing of before.",
    .sources =
        "nf-d3dkmthk-d3dkmtfreegpuvirtualaddress.md # remarks\n"
        "nc-d3dumddi-pfnd3dddi_freegpuvirtualaddresscb.md\n"
        "per-process-gpu-virtual-address-spaces.md # Application GPU virtual address space",
    .note =
        "That these updates and flushes take effect is VA-007. Clients that do not wait for their "
        "paging fences may come ahead of them.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: one of two addresses of an allocation is given back, and another allocation gets it
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- map_address: {allocation: 1, at: bit, bit: 26}
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- map_address: {allocation: 2, at: bit, bit: 26}
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
)",
    .control = R"(
about: an allocation that keeps both of its addresses
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- map_address: {allocation: 1, at: bit, bit: 26}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "an address that is given back keeps its entries",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::FreedStaysMapped}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::va_013
