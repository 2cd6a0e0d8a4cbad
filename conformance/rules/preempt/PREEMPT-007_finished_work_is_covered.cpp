// PREEMPT-007: LastCompletedFenceId covers all finished work.

#include <map>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/device_tells.h"
#include "conformance/rules/fence/device_says.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::preempt_007 {
namespace {

// A marker that is there at the report proves nothing yet: the packet may have been stopped behind
// it and before its end, and go on from there under another fence. That it had ended is known once
// it does all its work again.
void check_markers(const Trace& trace, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> suspects;  // MarkerRead, by packet
  for (const std::uint32_t index : trace.of<ev::MarkerRead>()) {
    const auto marker = trace.at<ev::MarkerRead>(index);
    const bool at_report = marker.reason == static_cast<std::uint32_t>(MarkerReason::AtPreempted);
    if (at_report && marker.expected == 0) {
      judgement.reached(index);
      if (marker.runs != 0) suspects.insert({marker.packet, index});
    }
    const auto suspect = suspects.find(marker.packet);
    if (suspect == suspects.end() || marker.runs < 2) continue;
    judgement.fail(suspect->second, "no packet behind LastCompletedFenceId has run to its end",
                   "what the last command of packet " + std::to_string(marker.packet) +
                       " with SubmissionFenceId " + std::to_string(marker.fence) +
                       " writes was there at the report, and is written once more");
    suspects.erase(suspect);
  }
}

// The device's log knows the end of a packet, whether it has a marker (paging, hostile input and
// all portions but one have none) or not.
void check_log(const Trace& trace, Judgement& judgement) {
  if (!device_tells(trace, WDDM_DEVICE_PACKET_END)) return;
  // PACKET_END by engine and fence, of the latest submission.
  ScratchMap<std::pair<EngineId, std::uint32_t>, std::uint32_t> ends;
  ScratchMap<EngineId, std::uint32_t> reports;  // the last DMA_PREEMPTED of each
  in_order_of_calls<ev::DeviceLogged, ev::Notified, ev::PacketEnded, ev::EngineReset>(
      trace, [&](auto index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::Submitted) {
          const auto submitted = trace.at<ev::Submitted>(index);
          ends.erase({engine_of(submitted), submitted.fence});
        } else if (event.kind == EventKind::DeviceLogged) {
          const auto record = Trace::as<ev::DeviceLogged>(event);
          if (record.kind == WDDM_DEVICE_PACKET_END) ends[{engine_of(record), record.tag}] = index;
        } else if (event.kind == EventKind::Notified) {
          const auto report = Trace::as<ev::Notified>(event);
          if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) reports[engine_of(report)] = index;
        } else if (event.kind == EventKind::EngineReset) {
          reports.erase(engine_of(Trace::as<ev::EngineReset>(event)));  // so do packets come back
        } else if (event.kind == EventKind::PacketEnded) {
          const auto packet = Trace::as<ev::PacketEnded>(event);
          const auto report = reports.find(engine_of(packet));
          if (packet.fate != static_cast<std::uint32_t>(PacketFate::Preempted)) return;
          if (report == reports.end()) return;
          judgement.reached(index);
          const auto end = ends.find({engine_of(packet), packet.fence});
          if (end == ends.end() || end->second > report->second) return;
          judgement.fail(report->second, "no packet behind LastCompletedFenceId has run to its end",
                         "packet " + std::to_string(packet.packet) + " with SubmissionFenceId " +
                             std::to_string(packet.fence) + " has, says the device's log",
                         {end->second});
        }
      });
}

// The report that was judged at `judged`.
std::uint32_t report_of(const Trace& trace, std::uint32_t judged) {
  const auto judgement = trace.at<ev::ReportJudged>(judged);
  std::uint32_t found = kNone;
  for (const std::uint32_t index : trace.of<ev::Notified>()) {
    if (index > judged) break;
    const auto report = trace.at<ev::Notified>(index);
    if (report.type == judgement.type && report.fence == judgement.fence &&
        engine_of(report) == engine_of(judgement)) {
      found = index;
    }
  }
  return found;
}

// The last packet of the engine that was refused behind the one that the report names, if any was:
// nobody has reported its fence.
std::uint32_t refused_since(const Trace& trace, std::uint32_t report) {
  const auto reported = trace.at<ev::Notified>(report);
  std::uint32_t found = kNone;
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    if (index > report) break;
    const auto submitted = trace.at<ev::Submitted>(index);
    if (engine_of(submitted) != engine_of(reported)) continue;
    const auto status = static_cast<NTSTATUS>(submitted.status);
    if (submitted.fence == reported.last_completed) found = kNone;
    if (submitted.paging == 0 && status == STATUS_INVALID_PARAMETER) found = index;
  }
  return found;
}

void too_old(const Trace& trace, std::uint32_t judged, Judgement& judgement) {
  const std::uint32_t report = report_of(trace, judged);
  const std::uint32_t refused = report == kNone ? kNone : refused_since(trace, report);
  if (refused == kNone) {
    judgement.fail(judged, "the latest finished packet as LastCompletedFenceId",
                   "one that lies before a fence reported earlier");
    return;
  }
  judgement.fail(judged, "the latest finished packet as LastCompletedFenceId",
                 std::to_string(trace.at<ev::Notified>(report).last_completed) +
                     ", and SubmissionFenceId " +
                     std::to_string(trace.at<ev::Submitted>(refused).fence) +
                     " behind it, which SubmitCommandVirtual refused, counts as finished",
                 {refused});
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  check_markers(trace, judgement);
  check_log(trace, judgement);
  for (const std::uint32_t index : trace.of<ev::ReportJudged>()) {
    const auto judged = trace.at<ev::ReportJudged>(index);
    if (judged.type != DXGK_INTERRUPT_DMA_PREEMPTED ||
        judged.outcome != static_cast<std::uint32_t>(vidsch::ReportOutcome::LastCompletedTooOld)) {
      continue;
    }
    too_old(trace, index, judgement);
  }
}

// A driver that takes the fence that it reported last, though a packet may have ended since.
class LastReported final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
      last_[data->DmaCompleted.NodeOrdinal] = data->DmaCompleted.SubmissionFenceId;
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
      altered.DmaPreempted.LastCompletedFenceId = last_[data->DmaPreempted.NodeOrdinal];
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }

 private:
  std::map<UINT, UINT> last_;  // by node
};

// The first of two packets ends at about the time at which the request comes.
// clang-format off
#define ENDS_ABOUT(units) \
  "- render: {context: 0}\n" \
  "- spin: {units: 10}\n" \
  "- render: {context: 0}\n" \
  "- spin: {units: 100}\n" \
  "- advance: {units: " #units "}\n" \
  "- preempt: {node: 0}\n" \
  "- idle\n"
#define ENDS_ABOUT_8(a, b, c, d, e, f, g, h) \
  ENDS_ABOUT(a) ENDS_ABOUT(b) ENDS_ABOUT(c) ENDS_ABOUT(d) \
  ENDS_ABOUT(e) ENDS_ABOUT(f) ENDS_ABOUT(g) ENDS_ABOUT(h)
// clang-format on

const Rule kRule{
    .id = "PREEMPT-007",
    .title = "LastCompletedFenceId covers all finished work",
    .evidence = Evidence::Memory,
    .rule =
        "LastCompletedFenceId is the latest finished packet of the engine at the time of the "
        "report, one included that finished between PreemptCommand and the interrupt and whose "
        "completion was not reported on its own. The fence of a packet that SubmitCommandVirtual "
        "refused counts as one that has finished once all before it have.",
    .sources =
        "ne-d3dkmddi-_dxgk_interrupt_type.md # DXGK_INTERRUPT_DMA_PREEMPTED\n"
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaPreempted\n"
        "nc-d3dkmddi-dxgkddi_submitcommandvirtual.md # returns",
    .unreached = "no packet that was in the queue when its engine was preempted had to come again",
    .applies = running_commands,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a packet is running when the request comes, or ends at about that time
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 1}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 5}
- preempt: {node: 0}
- idle
- queue_depth: {packets: 3}
# When it ends depends on what the driver puts around it.
)" ENDS_ABOUT_8(8, 9, 10, 11, 12, 13, 14, 15) ENDS_ABOUT_8(16, 17, 18, 19, 20, 21, 22, 23)
        ENDS_ABOUT_8(24, 25, 26, 27, 28, 29, 30, 31)
            ENDS_ABOUT_8(32, 33, 34, 35, 36, 37, 38, 39) R"(
# Nobody was told of one that has ended. Nothing is behind it; then one is at work, and one waits.
- render: {context: 0}
- spin: {units: 500}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_interrupts
- advance: {units: 1000}
- preempt: {node: 0}
- advance: {units: 20}
- hold_interrupts: {on: false}
- idle
- render: {context: 0}
- spin: {units: 500}
- render: {context: 0}
- spin: {units: 3000}
- render: {context: 0}
- spin: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_interrupts
- advance: {units: 1000}
- preempt: {node: 0}
- advance: {units: 20}
- hold_interrupts: {on: false}
- idle
# The same where the interrupt routine has told, and the DPC is to come.
- render: {context: 0}
- spin: {units: 500}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_dpcs
- advance: {units: 1000}
- preempt: {node: 0}
- advance: {units: 20}
- hold_dpcs: {on: false}
- idle
- render: {context: 0}
- spin: {units: 500}
- render: {context: 0}
- spin: {units: 3000}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_dpcs
- advance: {units: 1000}
- preempt: {node: 0}
- advance: {units: 20}
- hold_dpcs: {on: false}
- idle
# Both engines have told the routine, and one DPC is to come when they are preempted. On a driver with
# one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- render: {context: 1}
- idle
- render: {context: 0}
- spin: {units: 500}
- render: {context: 1}
- spin: {units: 500}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_dpcs
- advance: {units: 1000}
- preempt: {node: 1}
- preempt: {node: 0}
- advance: {units: 20}
- hold_dpcs: {on: false}
- idle
# Nothing has completed since the engine was reset: what it counted before is over.
- create_device: {device: 1}
- create_context: {context: 2, device: 1}
- render: {context: 2}
- idle
- render: {context: 2}
- spin: {units: 3000}
- advance: {units: 40}
- advance: {units: 40}
- time_out: {node: 0}
- render: {context: 0}
- wait: {semaphore: 2, value: 5}
- advance: {units: 20}
- advance: {units: 20}
- preempt: {node: 0}
- advance: {units: 20}
- render: {context: 1}
- signal: {semaphore: 2, value: 5}
- idle
)",
    .control = R"(
about: an idle engine has finished everything
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 1}
- idle
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "the fence that was reported last counts as the last completed one",
              .interposer = [] { return std::unique_ptr<Interposer>(new LastReported); },
              .also_fires = "ENGRST-003 PREEMPT-015 SUBMIT-015"}};

#undef ENDS_ABOUT
#undef ENDS_ABOUT_8

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_007
