// SUBMIT-010: CancelCommand cleans up after one packet, and never fails.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/submit/cancelling.h"
#include "conformance/sdk/device.h"

namespace wddm::submit_010 {
namespace {

// The call that a thread is in.
struct Call {
  std::uint32_t entered = kNone;
  std::uint16_t thread = 0;
  std::uint32_t touched = kNone;  // DeviceLogged: an engine began or stopped something
  bool gpu_had_time = false;      // of its own, or the scenario's
};

bool touches_queue(std::uint32_t kind) {
  return kind == WDDM_DEVICE_PACKET_BEGIN || kind == WDDM_DEVICE_PACKET_STOPPED;
}

// The interrupt routine and its DPC may come in, and say what they have to.
bool by_the_call(const ev::Notified& report) {
  return report.place != static_cast<std::uint32_t>(CallPlace::Isr) &&
         report.place != static_cast<std::uint32_t>(CallPlace::Dpc);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Call call;
  for (const std::uint32_t index : trace.of_any<ev::DdiEntered, ev::Notified, ev::DeviceLogged,
                                                ev::GpuAdvanced, ev::CommandCancelled>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      const auto entered = Trace::as<ev::DdiEntered>(event);
      if (entered.ddi != static_cast<std::uint32_t>(DdiId::CancelCommand)) continue;
      call = {.entered = index, .thread = event.thread};
    } else if (call.entered == kNone) {
      continue;
    } else if (event.kind == EventKind::GpuAdvanced) {
      call.gpu_had_time = true;
    } else if (event.kind == EventKind::Notified) {
      const auto report = trace.at<ev::Notified>(index);
      if (event.thread != call.thread || !by_the_call(report)) continue;
      judgement.fail(index, "CancelCommand leaves all fences alone",
                     "it reports SubmissionFenceId " + std::to_string(report.fence),
                     {call.entered});
    } else if (event.kind == EventKind::DeviceLogged) {
      if (event.thread != call.thread || call.touched != kNone) continue;
      if (touches_queue(Trace::as<ev::DeviceLogged>(event).kind)) call.touched = index;
    } else {
      // That the GPU had time is told behind what it did.
      if (call.touched != kNone && !call.gpu_had_time) {
        const auto record = trace.at<ev::DeviceLogged>(call.touched);
        judgement.fail(call.touched, "CancelCommand leaves the hardware queue alone",
                       "the packet with SubmissionFenceId " + std::to_string(record.tag) +
                           (record.kind == WDDM_DEVICE_PACKET_BEGIN ? " begins" : " is stopped"),
                       {call.entered});
      }
      const auto cancelled = trace.at<ev::CommandCancelled>(index);
      judgement.reached(index);
      if (cancelled.status != 0) {
        judgement.fail(index, "STATUS_SUCCESS from DxgkDdiCancelCommand",
                       status_name(cancelled.status), {call.entered});
      }
      call = {};
    }
  }
}

// A driver that looks for the packet in its ring.
class FindsItNowhere final : public Interposer {
 public:
  NTSTATUS CancelCommand(HANDLE adapter, const DXGKARG_CANCELCOMMAND* cancel) override {
    static_cast<void>(Interposer::CancelCommand(adapter, cancel));
    return STATUS_NOT_FOUND;
  }
};

const Rule kRule{
    .id = "SUBMIT-010",
    .title = "CancelCommand cleans up after its packet and never fails",
    .rule =
        "CancelCommand returns STATUS_SUCCESS for a packet that is in no hardware queue; it drops "
        "what the driver keeps of that packet, and leaves the hardware queue, the fences and all "
        "other packets alone.",
    .sources =
        "nc-d3dkmddi-dxgkddi_cancelcommand.md # description, returns, Remarks\n"
        "ns-d3dkmddi-_dxgkarg_cancelcommand.md # members\n"
        "bug-check-0x119---video-scheduler-internal-error.md # 0x9",
    .note =
        "The page of the function has packets that never reached the hardware queue, that of the "
        "structure packets that were removed from it: both are cancelled here, those that wait and "
        "those that were preempted. What a driver does not drop is found when it is unloaded, or "
        "where a packet of another context goes on from there (SUBMIT-015).",
    .unreached = "no packet was cancelled",
    .applies = submit::cancelling,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: of a device with four packets one is stopped, one hangs, and two wait; another device does the same then; another yet on two engines
ops:
- create_device: {device: 1}
- create_allocation: {allocation: 0, place: local, device: 1}
- make_resident: {allocation: 0}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
- create_context: {context: 2, device: 1}
- render: {context: 1}
- idle
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 0, value: 1}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 40}
- render: {context: 2}
- spin: {units: 300}
- render: {context: 2}
- spin: {units: 5}
- render: {context: 1}
- spin: {units: 5}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- render: {context: 0}
- spin: {units: 5}
- idle
# Whoever has the numbers of those contexts now begins its packets at the beginning.
- destroy_device: {device: 1}
- create_device: {device: 1}
- create_allocation: {allocation: 0, place: local, device: 1}
- create_context: {context: 1, device: 1}
- create_context: {context: 2, device: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 0, value: 1}
- spin: {units: 300}
- idle
- render: {context: 2}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 4, value: 1}
- spin: {units: 300}
- idle
# The packet ahead of the one that hangs has ended, and nobody was told.
- create_device: {device: 2}
- create_context: {context: 3, device: 2}
- create_context: {context: 4, device: 2}
- render: {context: 3}
- idle
- render: {context: 4}
- idle
- keep_stopped: {on: false}
- queue_depth: {packets: 2}
- render: {context: 0}
- spin: {units: 500}
- render: {context: 3}
- spin: {units: 3000}
- render: {context: 4}
- spin: {units: 5}
- render: {context: 3}
- spin: {units: 5}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_interrupts
- advance: {units: 1000}
- time_out: {node: 0}
- hold_interrupts: {on: false}
- render: {context: 0}
- spin: {units: 5}
- idle
# What is cancelled is of an engine that works for another device: its own has come into error on the
# second. On a driver with one node that is skipped, and all goes on.
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- create_device: {device: 5}
- create_context: {context: 5, device: 5}
- create_context: {context: 6, device: 5, node: 1}
- render: {context: 5}
- render: {context: 6}
- idle
- render: {context: 5}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 40}
- render: {context: 0}
- bind: {slot: 0, allocation: 1}
- add: {slot: 0, offset: 0, value: 1}
- spin: {units: 1000}
- add: {slot: 0, offset: 4, value: 1}
- render: {context: 5}
- spin: {units: 5}
- render: {context: 6}
- spin: {units: 3000}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 100}
- time_out: {node: 1}
- keep_stopped: {on: false}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 1}
- add: {slot: 0, offset: 8, value: 1}
- idle
)",
    .control = R"(
about: what waits is of another device, and goes on
ops:
- create_device: {device: 1}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
- render: {context: 0}
- idle
- render: {context: 1}
- spin: {units: 300}
- render: {context: 0}
- spin: {units: 5}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- idle
)",
    .fault = {.about = "CancelCommand returns STATUS_NOT_FOUND",
              .interposer = [] { return std::unique_ptr<Interposer>(new FindsItNowhere); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::submit_010
