// CTX-003: a packet that leaves paging has the flag Paging.

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::ctx_003 {
namespace {

// DXGK_SUBMITCOMMANDFLAGS.
constexpr std::uint32_t kPaging = 1u << 0, kContextSwitch = 1u << 6;

class Flags {
 public:
  Flags(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void entered(std::uint32_t index) {
    const Event& event = trace_.events()[index];
    const auto ddi = static_cast<DdiId>(Trace::as<ev::DdiEntered>(event).ddi);
    if (ddi == DdiId::SubmitCommand) read(index, trace_.blob<ddi_arguments::SubmitCommand>(event));
    if (ddi == DdiId::SubmitCommandVirtual) {
      read(index, trace_.blob<ddi_arguments::SubmitCommandVirtual>(event));
    }
  }
  void lost() { in_paging_.clear(); }

 private:
  template <class Arguments>
  void read(std::uint32_t index, std::span<const Arguments> given) {
    if (given.empty()) return;
    const Arguments& packet = given.front();
    auto& latest = in_paging_[{packet.node, packet.engine}];
    const bool paging = (packet.flags & kPaging) != 0;
    if ((packet.flags & kContextSwitch) == 0) {
      latest = {paging, index};
      return;
    }
    judgement_.reached(index);
    const Latest left = latest;
    latest = {false, index};
    if (paging == left.paging) return;
    judgement_.fail(index,
                    left.paging ? "Paging beside ContextSwitch, as the engine leaves paging"
                                : "ContextSwitch alone, as the engine leaves no paging",
                    paging ? "Paging is set" : "Paging is not set", {left.event});
  }

  struct Latest {
    bool paging = false;
    std::uint32_t event = 0;
  };
  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, Latest> in_paging_;  // by engine
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Flags flags(trace, judgement);
  for (const std::uint32_t index : trace.of_any<ev::DdiEntered, ev::AdapterReset, ev::Running>()) {
    if (trace.events()[index].kind == EventKind::DdiEntered) {
      flags.entered(index);
    } else {
      flags.lost();
    }
  }
}

NotApplicable switching(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  if (const NotApplicable reason = submitting(platform)) return reason;
  // Without it our host recovers from a reset unseen.
  if (const NotApplicable reason = needs(platform, DdiId::ResetFromTimeout)) return reason;
  return platform.scheduling.preemption_aware()
             ? nullptr
             : "not PreemptionAware: no context is left on request";
}

const Rule kRule{
    .id = "CTX-003",
    .title = "A packet that leaves paging has the flag Paging",
    .binds = Binds::Os,
    .rule =
        "A packet with ContextSwitch has Paging too where the engine was executing a paging "
        "buffer last, and only there.",
    .sources = "ns-d3dkmddi-_dxgk_submitcommandflags.md # ContextSwitch",
    .applies = switching,
    .check = check,
    .played_in = ConfigurationSet{Configured::Default, Configured::GpuVirtual},
    .scenario = R"(
about: an engine leaves paging, the null context, and a context
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 1, pattern: 0x11111111}
- switch_context: {node: 0}
- switch_context: {node: 0}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- switch_context: {node: 0}
- idle
)",
    .control = R"(
about: nothing is left
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 1, pattern: 0x11111111}
- idle
)",
    .fault = {.about = "ContextSwitch stands alone after paging too",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::SwitchWithoutPaging}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::ctx_003
