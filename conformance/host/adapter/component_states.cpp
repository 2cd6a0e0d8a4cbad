#include "conformance/host/adapter/component_states.h"

#include <algorithm>
#include <vector>

#include "conformance/host/adapter/questions/info_question.h"
#include "reference/harness_assert.h"

namespace wddm::host {
namespace {

// More than any adapter has; what a driver says is not to be trusted with memory.
constexpr UINT kMostComponents = 256;
// A driver may complete a change of state on a thread of its own.
constexpr nt::Time kStep = 100'000;  // 10 ms
constexpr int kPatience = 200;

struct Component {
  std::int32_t active = 0;      // calls of Active less those of Idle
  std::uint32_t completed = 0;  // calls of CompleteFStateTransition since it was last told a state
  std::uint32_t state = 0;
  std::uint32_t states = 0;  // StateCount
  std::uint32_t flags = 0;
  bool lost = false;  // its last change of state was never completed
  bool used = false;  // SetPowerComponentActive was called
};
std::vector<Component> g_components;
bool g_rest = false;
// The thread that is in SetPowerComponentFState, and for which component.
std::uint32_t g_thread = kNone, g_component = kNone;

bool completes_itself(const Component& component) {
  DXGK_POWER_COMPONENT_FLAGS flags{};
  flags.Value = component.flags;
  return flags.DriverCompletesFStateTransition != 0;
}

// Windows brings such a component to F0 before it takes power from the adapter.
bool returns_for_power(const Component& component) {
  DXGK_POWER_COMPONENT_FLAGS flags{};
  flags.Value = component.flags;
  return flags.TransitionTo_F0_OnDx != 0;
}

// Null for those that the driver has made up.
Component* named(UINT component) {
  return component < g_components.size() ? &g_components[component] : nullptr;
}

NTSTATUS set_state(const Adapter& adapter, UINT component, UINT state) {
  Component* const its = named(component);
  const bool valid = its != nullptr && state < its->states;
  if (its != nullptr) its->completed = 0;
  g_thread = nt::current_thread();
  g_component = component;
  const NTSTATUS status =
      call_ddi<DdiId::SetPowerComponentFState>(kNone, adapter.miniport(), component, state);
  g_thread = g_component = kNone;
  session().tap(ev::FStateSet{.component = component,
                              .state = state,
                              .from = its != nullptr ? its->state : 0,
                              .status = static_cast<std::uint32_t>(status),
                              .states = its != nullptr ? its->states : 0,
                              .flags = its != nullptr ? its->flags : 0,
                              .valid = valid});
  if (valid && NT_SUCCESS(status)) its->state = state;
  return status;
}

// No new request comes for a component before the last is complete.
void await(UINT component) {
  Component& its = g_components[component];
  nt::settle();
  for (int i = 0; completes_itself(its) && its.completed == 0 && i < kPatience; ++i) {
    nt::advance_time(kStep);
    nt::settle();
  }
  session().tap(ev::FStateAwaited{
      .component = component, .state = its.state, .flags = its.flags, .completed = its.completed});
  its.lost = completes_itself(its) && its.completed == 0;
}

// A component that the driver uses stays in F0.
bool may_change(const Component& component) {
  return component.active <= 0 && !component.lost && component.states != 0;
}

void change(const Adapter& adapter, UINT component, UINT state) {
  if (!may_change(g_components[component])) return;
  if (NT_SUCCESS(set_state(adapter, component, state))) await(component);
}

// The deepest of each, before anybody is waited for; without those that are in F0 when power goes.
enum class Goes : bool { BesidePower, WithPower };
void change_all(const Adapter& adapter, bool down, Goes goes = Goes::BesidePower) {
  std::vector<UINT> waited;
  for (UINT i = 0; i < g_components.size(); ++i) {
    const Component& component = g_components[i];
    const UINT state = down ? component.states - 1 : 0;
    if (!may_change(component) || component.state == state) continue;
    if (goes == Goes::WithPower && returns_for_power(component)) continue;
    if (NT_SUCCESS(set_state(adapter, i, state))) waited.push_back(i);
  }
  for (const UINT component : waited) await(component);
}

bool describe(const Adapter& adapter, UINT component) {
  const Output output(sizeof(DXGK_POWER_RUNTIME_COMPONENT), 0);
  const NTSTATUS status = ask(adapter,
                              {.type = DXGKQAITYPE_POWERCOMPONENTINFO,
                               .input = &component,
                               .input_bytes = sizeof(component)},
                              output);
  if (!NT_SUCCESS(status)) return false;
  const auto& said = *reinterpret_cast<const DXGK_POWER_RUNTIME_COMPONENT*>(output.data());
  if (said.StateCount > DXGK_MAX_F_STATES) return false;
  g_components[component].states = said.StateCount;
  g_components[component].flags = said.Flags.Value;
  return true;
}

}  // namespace

UINT power_component_count(const Adapter& adapter) {
  const Output output(sizeof(UINT), 0);
  const NTSTATUS status = ask(adapter, {.type = DXGKQAITYPE_NUMPOWERCOMPONENTS}, output);
  return NT_SUCCESS(status) ? std::min<UINT>(output.first_word(), kMostComponents) : 0;
}

void begin_power_components() {
  g_components.assign(kMostComponents, {});
  g_rest = false;
  g_thread = g_component = kNone;
}

void power_component_called(CallbackId callback, UINT component) {
  Component* const its = named(component);
  if (its != nullptr) {
    its->used |= callback == CallbackId::SetPowerComponentActive;
    if (callback == CallbackId::SetPowerComponentActive) ++its->active;
    if (callback == CallbackId::SetPowerComponentIdle) --its->active;
    if (callback == CallbackId::CompleteFStateTransition) ++its->completed;
  }
  const bool inside = g_thread != kNone && nt::current_thread() == g_thread;
  session().tap(ev::ComponentCalled{.callback = static_cast<std::uint32_t>(callback),
                                    .component = component,
                                    .inside = inside ? g_component : kNone,
                                    .active = its != nullptr ? its->active : 0});
}

const char* change_component_states(const Adapter& adapter, const ComponentChanges& changes) {
  if (adapter.caps().SupportRuntimePowerManagement == FALSE) {
    return "the driver manages no power at run time";
  }
  const UINT count = power_component_count(adapter);
  if (count == 0) return "there are no power components";
  for (UINT component = 0; component < count; ++component) {
    if (!describe(adapter, component)) return "the driver does not describe its power components";
  }
  for (std::uint32_t time = 0; time < changes.times; ++time) {
    if (changes.together) {
      change_all(adapter, true);
      change_all(adapter, false);
      continue;
    }
    for (UINT component = 0; component < count; ++component) {
      for (UINT state = 1; state < g_components[component].states; ++state) {
        change(adapter, component, state);
        change(adapter, component, 0);
      }
    }
  }
  g_rest = changes.rest;
  if (!changes.invalid) return nullptr;
  static_cast<void>(set_state(adapter, count, 0));
  static_cast<void>(set_state(adapter, 0, g_components[0].states));
  nt::settle();
  return nullptr;
}

void let_components_rest(const Adapter& adapter) {
  const bool used = std::any_of(g_components.begin(), g_components.end(),
                                [](const Component& component) { return component.used; });
  if (g_rest && !used) change_all(adapter, true, Goes::WithPower);
}

void wake_components(const Adapter& adapter) {
  if (g_rest) change_all(adapter, false);
}

}  // namespace wddm::host
