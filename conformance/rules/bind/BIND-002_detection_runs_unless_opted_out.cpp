// BIND-002: leak detection runs exactly when the driver has not opted out.

#include <utility>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const bool due = platform.scheduling.preemption_aware() && !platform.scheduling.no_dma_patching();
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> rejected;
  for (const std::uint32_t index : trace.of<ev::LeakJudged>()) {
    const auto judged = trace.at<ev::LeakJudged>(index);
    judgement.reached(index);
    if ((judged.ran != 0) != due) {
      judgement.fail(index,
                     due ? "detection, because NoDmaPatching is not set"
                         : "no detection: NoDmaPatching is set, or the model is that of Windows 7",
                     judged.ran != 0 ? "it ran" : "it did not run");
    }
    const bool leaks = judged.ran != 0 && judged.leaks != 0;
    if ((judged.rejected != 0) != leaks) {
      judgement.fail(index, leaks ? "a leaking packet is rejected" : "the packet is let through",
                     judged.rejected != 0 ? "rejected" : "let through");
    }
    if (judged.rejected != 0) rejected[{judged.render, judged.pass}] = index;
  }
  for (const std::uint32_t index : trace.of<ev::PortionPlanned>()) {
    const auto portion = trace.at<ev::PortionPlanned>(index);
    const auto found = rejected.find({portion.render, portion.pass});
    if (found == rejected.end()) continue;
    judgement.fail(index, "nothing of a rejected packet reaches the scheduler",
                   "bytes from " + std::to_string(portion.start) + " on do", {found->second});
  }
}

const Rule kRule{
    .id = "BIND-002",
    .aliases = "SCHED-005 SCHED-006",
    .title = "Leak detection runs exactly when the driver has not opted out",
    .binds = Binds::Os,
    .rule =
        "With NoDmaPatching 0, the list of each split packet is walked and a packet with a "
        "leaked binding is rejected before it reaches the hardware; with NoDmaPatching 1 no "
        "packet is rejected for that reason.",
    .sources =
        "gpu-preemption.md # binding leak detection\n"
        "ns-d3dkmddi-_dxgk_vidschcaps.md # NoDmaPatching",
    .note =
        "One sentence has detection after Patch, another before it. The list is constant during "
        "Patch, so the verdict is the same; this host looks before. With PreemptionAware 0 the "
        "documents say nothing, and it does not run.",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: a split packet of a driver that has opted out
ops:
- configure: {setting: NoDmaPatching, value: 1}
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
)",
    .control = R"(
about: a split packet of a driver that has not
ops:
- configure: {setting: NoDmaPatching, value: 0}
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
)",
    .fault = {.about = "detection runs although NoDmaPatching is 1",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::LeakCheckIgnoresCap}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
