// RES-002: a packet that uses what is not resident ends in a page fault report, and never as if it
// had succeeded.
//
// Judged is how a packet leaves its engine, beside MMU-012, which judges every access.

#include "conformance/rules/mmu/faults_completed.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/rules/submit/silent_engines.h"

namespace wddm::res_002 {
namespace {

// What is known of a packet that has accessed an address without a translation.
struct Faulting {
  std::uint32_t fault = kNone;   // AccessFaulted, the first
  std::uint32_t report = kNone;  // PageFaultReported
};

class Packets {
 public:
  Packets(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void submitted(const ev::Submitted& packet) {
    // It begins again.
    if (packet.again != 0) faulting_.erase(packet.packet);
    before_.erase(packet.packet);
    // What was reported of the engine by now is of others.
    const auto reported = any_reported_.find(engine_of(packet));
    if (reported != any_reported_.end()) before_[packet.packet] = reported->second;
  }
  void faulted(std::uint32_t index, std::uint32_t packet) {
    if (packet == kNone) return;
    const auto [one, is_new] = faulting_.try_emplace(packet);
    if (is_new) one->second.fault = index;
  }
  // With FENCE_INVALID it may be any packet of the engine.
  void reported(std::uint32_t index, const ev::PageFaultReported& report) {
    const bool no_fence = (report.flags & DXGK_PAGE_FAULT_FENCE_INVALID) != 0;
    if (report.fence == 0 && !no_fence) {
      judgement_.reached(index);
      judgement_.fail(index, "FaultedFenceId, or 0 together with DXGK_PAGE_FAULT_FENCE_INVALID",
                      "neither");
    }
    if (no_fence) any_reported_[engine_of(report)] = index;
    if (report.packet == kNone) return;
    const auto found = faulting_.find(report.packet);
    if (found != faulting_.end()) found->second.report = index;
  }
  void ended(std::uint32_t index, const ev::PacketEnded& end) {
    const auto fate = static_cast<PacketFate>(end.fate);
    const auto found = faulting_.find(end.packet);
    if (found == faulting_.end()) {
      if (fate == PacketFate::Completed || fate == PacketFate::Faulted) ended_[end.packet] = end;
      return;
    }
    const Faulting one = found->second;
    faulting_.erase(found);
    if (fate == PacketFate::Preempted || fate == PacketFate::Lost) return;
    judgement_.reached(index);
    const bool told = one.report != kNone || may_be_reported(end);
    if (fate != PacketFate::Completed || told) return;
    judgement_.fail(index, "the packet ends in DXGK_INTERRUPT_DMA_PAGE_FAULTED",
                    "packet " + std::to_string(end.packet) + " is reported as completed",
                    {one.fault});
  }
  // By what the host knows of addresses: a packet that cannot come to its end. Without a log of the
  // device there is nothing else to tell by; an engine that was never seen to run anything may not
  // have come to the access either (FENCE-002).
  void marked(std::uint32_t index, const ev::MarkerRead& marker) {
    if (marker.expected != 0 || marker.reason != static_cast<std::uint32_t>(MarkerReason::AtEnd)) {
      return;
    }
    const auto found = ended_.find(marker.packet);
    if (found == ended_.end()) return;
    const ev::PacketEnded end = found->second;
    ended_.erase(found);
    if (!trace_.ledger<submit::SilentEngines>().has_run(engine_of(marker), index)) return;
    judgement_.reached(index);
    const bool completed = end.fate == static_cast<std::uint32_t>(PacketFate::Completed);
    if (!completed || may_be_reported(end)) return;
    judgement_.fail(index, "the packet ends in DXGK_INTERRUPT_DMA_PAGE_FAULTED",
                    "packet " + std::to_string(end.packet) + " is reported as completed");
  }

 private:
  // By a report that names no packet, and came after it was submitted.
  [[nodiscard]] bool may_be_reported(const ev::PacketEnded& end) const {
    const auto reported = any_reported_.find(engine_of(end));
    if (reported == any_reported_.end()) return false;
    const auto before = before_.find(end.packet);
    return before == before_.end() || before->second != reported->second;
  }

  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<std::uint32_t, Faulting> faulting_;
  ScratchMap<std::uint32_t, ev::PacketEnded> ended_;  // of which no access is known to have faulted
  ScratchMap<EngineId, std::uint32_t> any_reported_;  // PageFaultReported, the latest without fence
  ScratchMap<std::uint32_t, std::uint32_t> before_;   // by packet: that when it was submitted
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Packets packets(trace, judgement);
  in_order_of_calls<ev::AccessFaulted, ev::PageFaultReported, ev::PacketEnded, ev::MarkerRead>(
      trace, [&](std::uint32_t index) {
        const EventKind kind = trace.events()[index].kind;
        if (kind == EventKind::Submitted) packets.submitted(trace.at<ev::Submitted>(index));
        if (kind == EventKind::AccessFaulted) {
          packets.faulted(index, trace.at<ev::AccessFaulted>(index).packet);
        }
        if (kind == EventKind::PageFaultReported) {
          packets.reported(index, trace.at<ev::PageFaultReported>(index));
        }
        if (kind == EventKind::MarkerRead) packets.marked(index, trace.at<ev::MarkerRead>(index));
        if (kind == EventKind::PacketEnded) packets.ended(index, trace.at<ev::PacketEnded>(index));
      });
}

const Rule kRule{
    .id = "RES-002",
    .title = "Access to what is not resident is reported as a page fault",
    .evidence = Evidence::DeviceLog,
    .rule =
        "A packet that accesses an address of an allocation that is unmapped or not resident ends "
        "in DXGK_INTERRUPT_DMA_PAGE_FAULTED, with its fence, or with 0 and "
        "DXGK_PAGE_FAULT_FENCE_INVALID. Its fence is not reported as completed as if it had "
        "succeeded.",
    .sources =
        "access-to-non-resident-allocation.md\n"
        "ne-d3dkmddi-_dxgk_interrupt_type.md # DXGK_INTERRUPT_DMA_PAGE_FAULTED\n"
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaPageFaulted",
    .note =
        "What the report says of the access MMU-013 judges, its fence MMU-014. A packet that is "
        "preempted after the access may fault again.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: a buffer runs with an allocation that was evicted, and that nobody brought back
ops:
- residency: {required_only: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- idle
- evict: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- idle
)",
    .control = R"(
about: a buffer that names what was evicted, and does not use it
ops:
- residency: {required_only: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 2, offset: 0, size: 4096, value: 0x55667788}
- idle
)",
    .fault = {
        .about = "a packet that faults is reported as completed",
        .interposer = [] { return std::unique_ptr<Interposer>(new mmu::CompletesWhatFaulted); },
        .also_fires = "FENCE-002 MMU-012"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::res_002
