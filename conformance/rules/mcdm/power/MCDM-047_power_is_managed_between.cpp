// MCDM-047: functions of power management are called while Windows manages power.

#include <algorithm>
#include <optional>

#include "conformance/host/interposer.h"
#include "conformance/rules/mcdm/compute_only.h"
#include "reference/trace/ddi.h"

namespace wddm::mcdm_047 {
namespace {

enum class Stage : std::uint32_t { PrepareToStart, Started, Stopped };

// What may be called from the first notice on, and what from the second.
constexpr CallbackId kForThePrepared[] = {CallbackId::SetPowerComponentActive,
                                          CallbackId::SetPowerComponentLatency,
                                          CallbackId::SetPowerComponentResidency};
constexpr CallbackId kForTheStarted[] = {
    CallbackId::SetPowerComponentIdle, CallbackId::PowerRuntimeControlRequest,
    CallbackId::CompleteFStateTransition, CallbackId::CompletePStateTransition};

// Nothing of any other callback.
std::optional<Stage> allowed_from(CallbackId callback) {
  if (std::ranges::count(kForThePrepared, callback) != 0) return Stage::PrepareToStart;
  if (std::ranges::count(kForTheStarted, callback) != 0) return Stage::Started;
  return std::nullopt;
}

// What the calls tell holds from where they begin, but for the end: that holds from its return.
std::optional<Stage> told_by(const ddi_arguments::PowerRuntimeControlRequest& arguments) {
  constexpr std::uint32_t kPrepareToStart = 0xcba549d4, kStarted = 0x6c929c1d;  // their Data1
  if (arguments.code == kPrepareToStart) return Stage::PrepareToStart;
  if (arguments.code == kStarted) return Stage::Started;
  return std::nullopt;
}

// Of a link each GPU is told in its turn: what the first may do from its notice on the others may do
// too, until the last has been told of the end.
void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Stage stage = Stage::Stopped;
  std::uint32_t told = kNone;
  for (const std::uint32_t index :
       trace.of_any<ev::DdiEntered, ev::PowerManagementTold, ev::CallbackCalled>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      if (static_cast<DdiId>(Trace::as<ev::DdiEntered>(event).ddi) ==
          DdiId::PowerRuntimeControlRequest) {
        const auto call = trace.blob<ddi_arguments::PowerRuntimeControlRequest>(event);
        if (!call.empty()) stage = told_by(call[0]).value_or(stage);
      }
      continue;
    }
    if (event.kind == EventKind::PowerManagementTold) {
      const auto call = Trace::as<ev::PowerManagementTold>(event);
      const bool goes_on = static_cast<Stage>(call.stage) == Stage::Stopped &&
                           call.physical_adapter + 1 < platform.linked_adapters;
      if (!goes_on) stage = static_cast<Stage>(call.stage);
      told = index;
      judgement.reached(index);
      if (call.returned != 0) {
        judgement.fail(index, "BytesReturned 0, as there is no output buffer",
                       std::to_string(call.returned) + " bytes");
      }
      continue;
    }
    const auto called = Trace::as<ev::CallbackCalled>(event);
    const auto from = allowed_from(static_cast<CallbackId>(called.callback));
    if (!from) continue;
    judgement.reached(index);
    if (stage != Stage::Stopped && stage >= *from) continue;
    judgement.fail(index,
                   *from == Stage::Started
                       ? "no such call but between ...POWER_MANAGEMENT_STARTED and ...STOPPED"
                       : "no such call but between ...POWER_MANAGEMENT_PREPARE_TO_START and "
                         "...STOPPED",
                   callback_name(called.callback), {told});
  }
}

// A driver that says of a component that it has come to its state when it is stopped, in case
// somebody waits for it.
class CompletesOnceMore final : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE dxgkrnl,
                       PULONG sources, PULONG children) override {
    adapter_ = dxgkrnl->DeviceHandle;
    return Interposer::StartDevice(context, info, dxgkrnl, sources, children);
  }
  NTSTATUS StopDevice(PVOID context) override {
    Interposer::CompleteFStateTransition(adapter_, 0);
    return Interposer::StopDevice(context);
  }

 private:
  HANDLE adapter_ = nullptr;
};

NotApplicable told_of_power(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (!platform.runtime_power) return "no power management at run time";
  return needs(platform, DdiId::PowerRuntimeControlRequest);
}

const Rule kRule{
    .id = "MCDM-047",
    .title = "Power components are used while Windows manages power, and not beside it",
    .rule =
        "PowerRuntimeControlRequest is told when power management at run time is about to start, "
        "has started, and is about to end. SetPowerComponentActive, -Latency and -Residency are "
        "called from the first on, the other functions of power components from the second on, "
        "and none of them after the third. BytesReturned is no more than the output buffer holds.",
    .sources =
        "nc-d3dkmddi-dxgkddipowerruntimecontrolrequest.md # Remarks, BytesReturned\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # SupportRuntimePowerManagement",
    .note =
        "The page is of all drivers. It says that the first notice comes before the device is "
        "started: what starts is its power management, as no capability is known before "
        "StartDevice. What a driver returns of a notice no page limits. Calls inside of the "
        "notices are judged mildly: what holds on either side of one holds in it.",
    .applies = told_of_power,
    .check = check,
    .played_in = {Configured::Managed},
    .scenario = R"(
about: the adapter stops in the midst of its components' changes, and starts again
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 5}
- idle
- component_states: {times: 1}
- stop
- start
- component_states: {together: true, rest: true}
- power_cycle
- stop
- start
)",
    .control = R"(
about: it stops when nothing has been asked of it
ops:
- start
- stop
)",
    .fault = {.about = "a change of F-states is completed once more when the adapter stops",
              .interposer = [] { return std::unique_ptr<Interposer>(new CompletesOnceMore); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_047
