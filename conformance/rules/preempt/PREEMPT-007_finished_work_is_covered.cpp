// PREEMPT-007: LastCompletedFenceId covers all finished work.

#include <map>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/fence/device_says.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm {
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
  if (!device_tells_ends(trace)) return;
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

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  check_markers(trace, judgement);
  check_log(trace, judgement);
  for (const std::uint32_t index : trace.of<ev::ReportJudged>()) {
    const auto judged = trace.at<ev::ReportJudged>(index);
    if (judged.type != DXGK_INTERRUPT_DMA_PREEMPTED ||
        judged.outcome != static_cast<std::uint32_t>(vidsch::ReportOutcome::LastCompletedTooOld)) {
      continue;
    }
    judgement.fail(index, "the latest finished packet as LastCompletedFenceId",
                   "one that lies before a fence reported earlier");
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

const Rule kRule{
    .id = "PREEMPT-007",
    .title = "LastCompletedFenceId covers all finished work",
    .evidence = Evidence::Memory,
    .rule =
        "LastCompletedFenceId is the latest finished packet of the engine at the time of the "
        "report, one included that finished between PreemptCommand and the interrupt and whose "
        "completion was not reported on its own.",
    .sources =
        "ne-d3dkmddi-_dxgk_interrupt_type.md # DXGK_INTERRUPT_DMA_PREEMPTED\n"
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaPreempted",
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
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 8}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 9}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 10}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 11}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 12}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 13}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 14}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 15}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 16}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 17}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 18}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 19}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 20}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 21}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 22}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 23}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 24}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 25}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 26}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 27}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 28}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 29}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 30}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 31}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 32}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 33}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 34}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 35}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 36}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 37}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 38}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 10}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 39}
- preempt: {node: 0}
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
              .also_fires = "PREEMPT-015 SUBMIT-015"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
