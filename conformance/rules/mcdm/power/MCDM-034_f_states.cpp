// MCDM-034: changes of F-states succeed, are completed as announced, and leave the GPU as it was.

#include "conformance/host/interposer.h"
#include "conformance/rules/life/every_kind_of_work.h"
#include "conformance/rules/mcdm/power_component.h"
#include "conformance/rules/mcdm/undisturbed.h"
#include "conformance/rules/mcdm/work_behind.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "reference/is_any_of.h"
#include "reference/trace/names.h"

namespace wddm::mcdm_034 {
namespace {

bool completes_itself(std::uint32_t value) {
  DXGK_POWER_COMPONENT_FLAGS flags{};
  flags.Value = value;
  return flags.DriverCompletesFStateTransition != 0;
}

std::string named(std::uint32_t component, std::uint32_t state) {
  return "component " + std::to_string(component) + ", F" + std::to_string(state);
}

class Power {
 public:
  Power(bool undisturbed, Judgement& judgement)
      : undisturbed_(undisturbed), judgement_(judgement), work_(judgement) {}

  void on(std::uint32_t index, const ev::FStateSet& set) {
    const bool succeeds = NT_SUCCESS(static_cast<NTSTATUS>(set.status));
    if (set.valid == 0 && succeeds) {
      judgement_.fail(index, "a failure: there is no such component, or no such state",
                      named(set.component, set.state) + ": " + status_name(set.status));
    }
    if (set.valid != 0 && set.status != 0 && undisturbed_) {
      judgement_.fail(index, "STATUS_SUCCESS for a component and a state that the driver reports",
                      named(set.component, set.state) + ": " + status_name(set.status));
    }
    if (set.valid == 0) return;  // nothing changes
    judgement_.reached(index);
    if (succeeds) states_[set.component] = set.state;
    work_.changed(index);
  }
  void on(std::uint32_t index, const ev::FStateAwaited& awaited) {
    judgement_.reached(index);
    const std::uint32_t expected = completes_itself(awaited.flags) ? 1 : 0;
    if (awaited.completed == expected) return;
    judgement_.fail(index,
                    expected != 0
                        ? "one call of DxgkCbCompleteFStateTransition for each change of state"
                        : "no call of DxgkCbCompleteFStateTransition without the flag for it",
                    named(awaited.component, awaited.state) + ": " +
                        std::to_string(awaited.completed) + " calls",
                    {work_.change()});
  }
  void on(std::uint32_t index, const ev::ComponentCalled& called) {
    if (static_cast<CallbackId>(called.callback) == CallbackId::SetPowerComponentActive &&
        called.inside != kNone) {
      judgement_.fail(index, "no DxgkCbSetPowerComponentActive inside of SetPowerComponentFState",
                      "one for component " + std::to_string(called.component) +
                          ", while the state of " + std::to_string(called.inside) + " is changed");
    }
    if (called.active < 0) {
      judgement_.fail(index, "a call of DxgkCbSetPowerComponentActive for each of ...Idle",
                      "component " + std::to_string(called.component) + ": more of the latter");
    }
    held_[called.component] = {called.active, index};
    judge_setting(index, called);
  }
  /// No function of this kind may be called behind it: who is not idle by then will never be.
  void management_stopped(std::uint32_t index) {
    for (const auto& [component, held] : held_) {
      if (held.active <= 0 || !undisturbed_ || removed_) continue;
      judgement_.fail(index,
                      "by POWER_MANAGEMENT_STOPPED as many calls of DxgkCbSetPowerComponentIdle as "
                      "of ...Active",
                      "component " + std::to_string(component) + ": " +
                          std::to_string(held.active) + " more of the latter",
                      {held.event});
    }
    held_.clear();
    removed_ = false;
  }
  /// Nothing is held of an earlier start.
  void started() { held_.clear(); }
  void describe(std::uint32_t component, const DXGK_POWER_RUNTIME_COMPONENT& said) {
    types_[component] = said.ComponentMapping.ComponentType;
  }
  void removed() { removed_ = true; }
  void on(const ev::Submitted& packet) {
    if (all_on()) work_.given(packet);
  }
  void on(const ev::PacketEnded& packet, std::uint32_t index) {
    if (!work_.ended(index, packet, "packets complete when every component is in F0 again")) {
      states_.clear();
    }
  }
  void on(std::uint32_t index, const ev::Stuck& stuck) { work_.stuck(index, stuck); }
  /// A reset or a start brings everything up in other ways.
  void begin_anew() {
    states_.clear();
    work_.begin_anew();
  }

 private:
  struct Held {
    std::int32_t active;  // calls of Active less those of Idle
    std::uint32_t event;  // the last of them
  };

  // Of a component of another type the system says how long it may take to wake, and be idle.
  void judge_setting(std::uint32_t index, const ev::ComponentCalled& called) {
    const auto callback = static_cast<CallbackId>(called.callback);
    if (!is_any_of(callback, CallbackId::SetPowerComponentLatency,
                   CallbackId::SetPowerComponentResidency)) {
      return;
    }
    const auto type = types_.find(called.component);
    if (type == types_.end() || type->second == DXGK_POWER_COMPONENT_OTHER) return;
    judgement_.fail(index,
                    std::string(callback_name(called.callback)) +
                        " for components of type DXGK_POWER_COMPONENT_OTHER alone",
                    "one for component " + std::to_string(called.component) + " of type " +
                        std::to_string(type->second));
  }
  [[nodiscard]] bool all_on() const {
    if (work_.change() == kNone) return false;
    for (const auto& [component, state] : states_) {
      if (state != 0) return false;
    }
    return true;
  }

  const bool undisturbed_;
  Judgement& judgement_;
  ScratchMap<std::uint32_t, std::uint32_t> states_;             // by component
  ScratchMap<std::uint32_t, Held> held_;                        // likewise
  ScratchMap<std::uint32_t, DXGK_POWER_COMPONENT_TYPE> types_;  // likewise
  bool removed_ = false;
  compute::WorkBehind work_;  // behind the last FStateSet, when all are in F0 again
};

// That results are right is judged by the clauses of what packets do.
void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Power power(undisturbed(trace), judgement);
  // Of what type a component is does not change; it may be asked for after the first calls.
  for (const std::uint32_t index : trace.of<ev::PowerComponentAnswered>()) {
    const auto said = power_component_in(trace, index);
    if (said) power.describe(trace.at<ev::PowerComponentAnswered>(index).component, *said);
  }
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::FStateSet, ev::FStateAwaited, ev::ComponentCalled, ev::PacketEnded,
                    ev::Stuck, ev::PowerManagementTold, ev::SurpriseRemoved, ev::AdapterReset,
                    StopReturned>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::FStateSet) {
      power.on(index, Trace::as<ev::FStateSet>(event));
    } else if (event.kind == EventKind::FStateAwaited) {
      power.on(index, Trace::as<ev::FStateAwaited>(event));
    } else if (event.kind == EventKind::ComponentCalled) {
      power.on(index, Trace::as<ev::ComponentCalled>(event));
    } else if (event.kind == EventKind::Submitted) {
      power.on(trace.at<ev::Submitted>(index));
    } else if (event.kind == EventKind::PacketEnded) {
      power.on(Trace::as<ev::PacketEnded>(event), index);
    } else if (event.kind == EventKind::Stuck) {
      power.on(index, Trace::as<ev::Stuck>(event));
    } else if (event.kind == EventKind::PowerManagementTold) {
      constexpr std::uint32_t kPrepare = 0, kStopped = 2;
      const auto told = Trace::as<ev::PowerManagementTold>(event);
      if (told.stage == kPrepare && told.physical_adapter == 0) power.started();
      // Of a link all GPUs are told, one after the other.
      const bool is_last = told.physical_adapter + 1 >= platform.linked_adapters;
      if (told.stage == kStopped && is_last) power.management_stopped(index);
    } else if (event.kind == EventKind::SurpriseRemoved) {
      power.removed();
    } else {
      power.begin_anew();
    }
  });
}

// A driver that completes only the way down: nobody waits for the way back, it thinks.
class CompletesTheWayDown final : public Interposer {
 public:
  NTSTATUS SetPowerComponentFState(HANDLE context, UINT component, UINT state) override {
    up_ = state == 0;
    return Interposer::SetPowerComponentFState(context, component, state);
  }
  void CompleteFStateTransition(HANDLE adapter, UINT component) override {
    if (!up_) Interposer::CompleteFStateTransition(adapter, component);
  }

 private:
  bool up_ = false;
};

NotApplicable with_f_states(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (!platform.runtime_power) return "no power management at run time";
  return needs(platform, DdiId::SetPowerComponentFState);
}

const Rule kRule{
    .id = "MCDM-034",
    .title = "F-state transitions follow the declared completion mode",
    .rule =
        "SetPowerComponentFState succeeds for a component and a state that the driver reports, and "
        "for no other. With DriverCompletesFStateTransition DxgkCbCompleteFStateTransition is "
        "called once for each, whatever state the component was in before power was gone or the "
        "adapter was stopped, without it never. DxgkCbSetPowerComponentActive is not called "
        "inside, and Idle as often as Active by POWER_MANAGEMENT_STOPPED, at no time more often. "
        "Latency and residency are set for components of type DXGK_POWER_COMPONENT_OTHER alone. "
        "Back in F0 packets run as before.",
    .sources =
        "nc-d3dkmddi-dxgkddisetpowercomponentfstate.md # return value, Remarks\n"
        "nc-d3dkmddi-dxgkcb_completefstatetransition.md # Remarks\n"
        "nf-wdm-pofxregisterdevice.md # Remarks (every component is in F0)\n"
        "nc-d3dkmddi-dxgkcb_setpowercomponentactive.md # Remarks\n"
        "nc-d3dkmddi-dxgkcb_setpowercomponentlatency.md # Remarks\n"
        "nc-d3dkmddi-dxgkcb_setpowercomponentresidency.md # Remarks\n"
        "nc-d3dkmddi-dxgkddipowerruntimecontrolrequest.md # Remarks",
    .note =
        "The pages are of all drivers. Of a component that is not there the page knows "
        "STATUS_INVALID_PARAMETER; any failure is "
        "accepted. A driver has two seconds to complete a change, which no page limits. Components "
        "that the driver holds active stay in F0, and are not judged; those of a driver that has "
        "held any are not at rest when the adapter is stopped, nor are components with "
        "TransitionTo_F0_OnDx.",
    .applies = with_f_states,
    .check = check,
    .played_in = {Configured::Managed},
    .scenario = R"(
about: every component goes to each state and back, twice, with packets before and after, in the end of every kind
ops:
- create_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- create_allocation: {allocation: 0, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 1}
- spin: {units: 5}
- idle
- component_states: {times: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x7}
- render: {context: 1}
- spin: {units: 5}
- idle
- component_states: {together: true, invalid: true}
- render: {context: 0}
- spin: {units: 5}
- idle
# They are in their deepest states when power goes, and when the adapter stops; it starts in F0.
- component_states: {together: true, rest: true}
- power_cycle
- render: {context: 0}
- spin: {units: 5}
- idle
- stop
- start
- component_states: {together: true}
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 5}
- idle
# So they do behind resets of each engine and of the adapter, and each engine works then.
- each_node: {time_out: true, units: 400}
- component_states
- each_node
- each_node: {leave: true, units: 400}
- time_out: {node: 0, adapter: true}
- each_node
- component_states
- each_node: {preempt: true, units: 100}
- component_states: {together: true}
)" WDDM_DOES_EVERY_KIND_OF_WORK,
    .control = R"(
about: all components at once, before anything has been done
ops:
- component_states: {together: true}
)",
    .fault = {.about = "changes to F0 are not completed",
              .interposer = [] { return std::unique_ptr<Interposer>(new CompletesTheWayDown); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_034
