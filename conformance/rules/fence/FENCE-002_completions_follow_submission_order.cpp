// FENCE-002: completions follow submission order and are cumulative.

#include <algorithm>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/device_tells.h"
#include "conformance/rules/fence/device_says.h"
#include "conformance/rules/fence/never_begun.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/rules/submit/silent_engines.h"
#include "conformance/sdk/device.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::fence_002 {
namespace {

bool out_of_order(std::uint32_t outcome) {
  return outcome == static_cast<std::uint32_t>(vidsch::ReportOutcome::OutOfOrder) ||
         outcome == static_cast<std::uint32_t>(vidsch::ReportOutcome::AlreadyReported);
}

// Nor has a packet a marker whose allocation is brought in by paging of the same report.
void check_begins(const Trace& trace, Judgement& judgement) {
  fence::NeverBegun(trace, DXGK_INTERRUPT_DMA_COMPLETED)
      .each([&](std::uint32_t report, std::uint32_t submitted) {
        const auto packet = trace.at<ev::Submitted>(submitted);
        judgement.fail(report,
                       "a reported fence asserts that its packet and all before it are finished",
                       "the device has not begun packet " + std::to_string(packet.packet) +
                           " with SubmissionFenceId " + std::to_string(packet.fence),
                       {submitted});
      });
}

// A marker that is brought in by paging of the same report can be read behind it: what is not there
// then was not there before. Where the device's log tells of the packet it may have run, and
// written elsewhere.
void check_ends(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (!platform.has_device_log) return;
  ScratchMap<std::uint32_t, std::uint32_t> fates;  // by packet
  ScratchSet<std::uint32_t> settled;               // read at the report, or faulted
  for (const std::uint32_t index :
       trace.of_any<ev::PacketEnded, ev::MarkerRead, ev::PageFaultReported>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PacketEnded) {
      const auto ended = Trace::as<ev::PacketEnded>(event);
      fates[ended.packet] = ended.fate;
      continue;
    }
    if (event.kind == EventKind::PageFaultReported) {
      settled.insert(trace.at<ev::PageFaultReported>(index).packet);
      continue;
    }
    const auto marker = trace.at<ev::MarkerRead>(index);
    if (marker.reason != static_cast<std::uint32_t>(MarkerReason::AtEnd)) {
      settled.insert(marker.packet);
      continue;
    }
    const auto fate = fates.find(marker.packet);
    if (fate == fates.end() || fate->second != static_cast<std::uint32_t>(PacketFate::Completed)) {
      continue;
    }
    if (marker.runs >= marker.expected || settled.contains(marker.packet)) continue;
    if (!device_says(trace, marker, index).empty()) continue;
    judgement.fail(index, "a reported fence asserts that its packet and all before it are finished",
                   "what the last command of packet " + std::to_string(marker.packet) +
                       " with SubmissionFenceId " + std::to_string(marker.fence) +
                       " writes is not in memory, and the device tells nothing of the packet");
  }
}

// Paging, hostile input and all portions but one have no marker to look at.
void check_log(const Trace& trace, Judgement& judgement) {
  if (!device_tells(trace, WDDM_DEVICE_PACKET_END)) return;
  // PACKET_BEGIN by engine and fence, of packets that have not come to their end.
  ScratchMap<std::pair<EngineId, std::uint32_t>, std::uint32_t> begun;
  in_order_of_calls<ev::DeviceLogged, ev::Notified>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto submitted = trace.at<ev::Submitted>(index);
      begun.erase({engine_of(submitted), submitted.fence});
    } else if (event.kind == EventKind::DeviceLogged) {
      const auto record = Trace::as<ev::DeviceLogged>(event);
      if (record.kind == WDDM_DEVICE_PACKET_BEGIN) begun[{engine_of(record), record.tag}] = index;
      if (record.kind == WDDM_DEVICE_PACKET_END) begun.erase({engine_of(record), record.tag});
    } else if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      if (report.type != DXGK_INTERRUPT_DMA_COMPLETED) return;
      const auto found = begun.find({engine_of(report), report.fence});
      if (found == begun.end()) return;
      judgement.fail(index, "a reported fence asserts that its packet is finished",
                     "the device began the packet with SubmissionFenceId " +
                         std::to_string(report.fence) + " and has not come to its end",
                     {found->second});
    }
  });
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  check_begins(trace, judgement);
  check_ends(trace, platform, judgement);
  check_log(trace, judgement);
  // One packet has no order.
  for (const std::uint32_t index : trace.of<ev::Notified>()) {
    const auto report = trace.at<ev::Notified>(index);
    if (report.type == DXGK_INTERRUPT_DMA_COMPLETED && report.outstanding > 1) {
      judgement.reached(index);
    }
  }
  for (const std::uint32_t index : trace.of<ev::ReportJudged>()) {
    const auto judged = trace.at<ev::ReportJudged>(index);
    if (judged.type != DXGK_INTERRUPT_DMA_COMPLETED) continue;
    if (!out_of_order(judged.outcome)) continue;
    judgement.fail(index, "fences of an engine are reported in the order of their submission",
                   "SubmissionFenceId " + std::to_string(judged.fence) +
                       " after a later packet of the engine");
  }
  // Those that were reported as faulted have ended without it. The scheduler hears of that at the
  // DPC only, and reads their markers until then.
  ScratchSet<std::uint32_t> faulted;
  for (const std::uint32_t index : trace.of_any<ev::PageFaultReported, ev::MarkerRead>()) {
    if (trace.events()[index].kind == EventKind::PageFaultReported) {
      faulted.insert(trace.at<ev::PageFaultReported>(index).packet);
      continue;
    }
    const auto marker = trace.at<ev::MarkerRead>(index);
    if (marker.reason != static_cast<std::uint32_t>(MarkerReason::AtCompleted)) continue;
    if (marker.runs >= marker.expected || faulted.contains(marker.packet)) continue;
    judgement.fail(index, "a reported fence asserts that its packet and all before it are finished",
                   "what the last command of packet " + std::to_string(marker.packet) +
                       " with SubmissionFenceId " + std::to_string(marker.fence) +
                       " writes is not in memory" + device_says(trace, marker, index) +
                       trace.ledger<submit::SilentEngines>().words_of(engine_of(marker)));
  }
}

// A driver that reports the second of two packets first.
class Swaps final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    latest_ = submit->SubmissionFenceId;
    return Interposer::SubmitCommand(adapter, submit);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType != DXGK_INTERRUPT_DMA_COMPLETED) {
      Interposer::NotifyInterrupt(adapter, data);
      return;
    }
    if (!holding_ && data->DmaCompleted.SubmissionFenceId == latest_) {
      Interposer::NotifyInterrupt(adapter, data);
    } else if (!holding_) {
      held_ = *data;
      holding_ = true;
    } else {
      Interposer::NotifyInterrupt(adapter, data);
      Interposer::NotifyInterrupt(adapter, &held_);
      holding_ = false;
    }
  }

 private:
  DXGKARGCB_NOTIFY_INTERRUPT_DATA held_{};
  bool holding_ = false;
  UINT latest_ = 0;
};

const Rule kRule{
    .id = "FENCE-002",
    .aliases = "FENCE-004",
    .title = "Completions follow submission order and are cumulative",
    .evidence = Evidence::Memory,
    .rule =
        "On one engine fences are reported in the order in which their packets were submitted, "
        "and reporting a fence asserts that its packet and every packet submitted before it "
        "is finished.",
    .sources =
        "mcdm-architecture.md # Engine, HW Queue\n"
        "ne-d3dkmdt-_dxgk_page_fault_flags.md # DXGK_PAGE_FAULT_FENCE_INVALID",
    .note =
        "Order is that of submission, not of numbers: a paging fence that is reused after a "
        "preemption is lower than fences seen since (PREEMPT-017). That memory was written by then "
        "shows in what the last command of a packet writes, which is read inside of "
        "DxgkCbNotifyInterrupt, or behind it where paging of the same report brings it in; and in "
        "the device's log, of packets of user mode that were never begun.",
    .applies = submitting,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: two packets in the hardware queue, far apart enough for two interrupts; then all it takes
ops:
- create_context: {context: 0}
- queue_depth: {packets: 2}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 50}
- render: {context: 0}
- spin: {units: 100}
- idle
# As many as the driver was told to have room for, twice.
- queue_depth: {packets: 64}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- idle
)",
    .control = R"(
about: the same packets on two nodes may finish in any order
ops:
- create_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- render: {context: 0}
- spin: {units: 50}
- render: {context: 1}
- spin: {units: 1}
- idle
)",
    .fault = {.about = "of two completions the later is reported first",
              .interposer = [] { return std::unique_ptr<Interposer>(new Swaps); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::fence_002
