// MCDM-033: power components are described well, and none belongs to a display.

#include <algorithm>

#include "conformance/rules/mcdm/compute_only.h"
#include "conformance/rules/scratch.h"

namespace wddm::mcdm_033 {
namespace {

using Component = DXGK_POWER_RUNTIME_COMPONENT;

// PO_FX_UNKNOWN_POWER of wdm.h: what a state draws is not to count.
constexpr std::uint32_t kUnknownPower = 0xFFFFFFFF;

// What is wrong with the states, but for their number.
void judge_states(const Component& component, compute::Listed& listed) {
  const DXGK_POWER_RUNTIME_STATE& on = component.States[0];
  listed.add(on.TransitionLatency != 0, "TransitionLatency of F0");
  listed.add(on.ResidencyRequirement != 0, "ResidencyRequirement of F0");
  listed.add(on.NominalPower == 0, "NominalPower of F0");
  bool quicker = false, hotter = false;
  std::uint32_t least = on.NominalPower;  // of those before that say it
  for (ULONG state = 1; state < component.StateCount; ++state) {
    const DXGK_POWER_RUNTIME_STATE &deeper = component.States[state],
                                   &before = component.States[state - 1];
    quicker |= deeper.TransitionLatency <= before.TransitionLatency;
    if (deeper.NominalPower == kUnknownPower) continue;
    hotter |= deeper.NominalPower >= least;
    least = deeper.NominalPower;
  }
  listed.add(quicker, "TransitionLatency that does not grow with the state");
  listed.add(hotter, "NominalPower that does not sink with the state");
}

class Components {
 public:
  explicit Components(const Platform& platform) : platform_(platform) {}

  void judge(const Component& component, std::uint32_t self, std::uint32_t count,
             compute::Listed& listed) {
    const bool states = component.StateCount >= 1 && component.StateCount <= DXGK_MAX_F_STATES;
    listed.add(!states, "StateCount");
    if (states) judge_states(component, listed);
    DXGK_POWER_COMPONENT_FLAGS flags = component.Flags;
    listed.add(flags.Reserved0 != 0, "reserved flags");
    const bool providers = component.ProviderCount <= DXGK_MAX_POWER_COMPONENT_PROVIDERS;
    listed.add(!providers, "ProviderCount");
    for (ULONG i = 0; providers && i < component.ProviderCount; ++i) {
      listed.add(component.Providers[i] >= count || component.Providers[i] == self, "Providers");
    }
    judge_mapping(component.ComponentMapping, listed);
  }
  /// Components of another answer to the count are described anew.
  void begin_anew() {
    nodes_.clear();
    segments_.clear();
  }

 private:
  void judge_mapping(const DXGK_POWER_COMPONENT_MAPPING& mapping, compute::Listed& listed) {
    std::uint32_t type;
    std::memcpy(&type, &mapping.ComponentType, sizeof(type));
    listed.add(type >= DXGK_POWER_COMPONENT_MAX, "ComponentType");
    const bool display =
        type == DXGK_POWER_COMPONENT_MONITOR || type == DXGK_POWER_COMPONENT_MONITOR_REFRESH;
    listed.add(display && platform_.compute_only, "a component of a display");
    // In a link each GPU has such a node, and such a segment.
    const bool linked = platform_.linked_adapters > 1;
    if (type == DXGK_POWER_COMPONENT_ENGINE) {
      const UINT node = mapping.EngineDesc.NodeIndex;
      listed.add(node >= platform_.nodes, "NodeIndex");
      listed.add(!nodes_.insert(node).second && !linked, "a node that another component has");
    } else if (type == DXGK_POWER_COMPONENT_MEMORY) {
      const UINT segment = mapping.MemoryDesc.SegmentID;
      listed.add(!linked && !exists(segment), "SegmentID");
      listed.add(!segments_.insert(segment).second && !linked,
                 "a segment that another component has");
    }
  }

  // Without any list of segments nobody knows.
  [[nodiscard]] bool exists(UINT segment) const {
    const auto& known = platform_.segments;
    return known.empty() || (segment != 0 && segment <= known.size());
  }

  const Platform& platform_;
  ScratchSet<UINT> nodes_, segments_;
};

// That the component behind the last is refused is MCDM-022.
void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Components components(platform);
  for (const std::uint32_t index : trace.of<ev::PowerComponentAnswered>()) {
    const auto answered = trace.at<ev::PowerComponentAnswered>(index);
    if (answered.component == 0) components.begin_anew();
    const auto bytes = trace.blob<std::uint8_t>(trace.events()[index]);
    if (answered.component >= answered.count || bytes.size() < sizeof(Component) ||
        !NT_SUCCESS(static_cast<NTSTATUS>(answered.status))) {
      continue;
    }
    Component component;
    std::memcpy(&component, bytes.data(), sizeof(component));
    judgement.reached(index);
    compute::Listed listed;
    components.judge(component, answered.component, answered.count, listed);
    if (listed.empty()) continue;
    judgement.fail(
        index, "a well-formed description of power component " + std::to_string(answered.component),
        listed.names());
  }
}

// A driver whose second engine came later, by a copy of the first.
class TwoOfOneNode final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_POWERCOMPONENTINFO || !NT_SUCCESS(status)) return status;
    auto& component = *static_cast<Component*>(query->pOutputData);
    component.ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_ENGINE;
    component.ComponentMapping.EngineDesc.NodeIndex = 0;
    return status;
  }
};

NotApplicable with_power(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  return platform.runtime_power ? nullptr : "no power management at run time";
}

const Rule kRule{
    .id = "MCDM-033",
    .title = "Power components are well-formed and none belongs to a display",
    .rule =
        "A power component has 1 to 8 F-states. F0 has neither latency nor residency, and draws "
        "power; each deeper state has a larger latency and draws less. Providers are other "
        "components, reserved flags are 0, an engine names a node that there is, memory a segment "
        "that there is, and no two components name one node or one segment. On a device that only "
        "computes none is a monitor or its refresh.",
    .sources =
        "mcdm-implementation-guidelines.md # Power management support\n"
        "ns-d3dkmddi-_dxgk_power_runtime_component.md # fields, Remarks\n"
        "ns-d3dkmddi-_dxgk_power_runtime_state.md # fields, Remarks\n"
        "ns-wdm-_po_fx_component_idle_state.md # NominalPower\n"
        "ns-d3dkmddi-_dxgk_power_component_mapping.md # Remarks\n"
        "ns-d3dkmddi-_dxgk_power_component_flags.md # Reserved0",
    .note =
        "The pages are of all drivers. A state whose power is PO_FX_UNKNOWN_POWER is compared with "
        "none, as the power framework ignores it. Monitors are excluded by derivation: they name a "
        "source or "
        "a "
        "target. In a link, where each GPU has a node of the same number, two may name one. Of the "
        "flags only "
        "Reserved0 is judged: later interfaces have given meaning to bits that were reserved. That "
        "a component maps to nothing (OTHER, SHARED, D3_TRANSITION) is its driver's business.",
    .applies = with_power,
    .check = check,
    .played_in = {Configured::Managed},
    .scenario = R"(
about: each component is asked for
ops:
- requery
)",
    .control = R"(
about: each component, twice
ops:
- requery
- requery
)",
    .fault = {.about = "all components are of node 0",
              .interposer = [] { return std::unique_ptr<Interposer>(new TwoOfOneNode); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_033
