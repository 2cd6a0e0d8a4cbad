// SPLIT-017: without context save, portions are not interleaved with other contexts.

#include "conformance/rules/rule.h"
#include "conformance/rules/split/portions.h"

namespace wddm {
namespace {

NotApplicable windows7_model(const Platform& platform) {
  if (const NotApplicable reason = patch_lists(platform)) return reason;
  return platform.scheduling.preemption_aware()
             ? "contexts may run between portions: PreemptionAware is set"
             : nullptr;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> planned;  // `index` members, by render
  for (const std::uint32_t index : trace.of<ev::PortionPlanned>()) {
    const auto portion = trace.at<ev::PortionPlanned>(index);
    planned[portion.render].push_back(portion.index);
  }
  struct Open {
    std::uint32_t context = kNone;  ///< kNone: no buffer is begun and unfinished
    std::uint32_t event = kNone;
  };
  std::map<std::uint32_t, Open> nodes;
  std::map<std::uint32_t, std::size_t> count;
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto submitted = trace.at<ev::Submitted>(index);
    if (submitted.paging != 0) continue;
    Open& open = nodes[submitted.node];
    if (open.context != kNone) judgement.reached(index);
    if (open.context != kNone && open.context != submitted.context) {
      judgement.fail(index, "paging or the next portion of context " + split::number(open.context),
                     "a packet of context " + split::number(submitted.context), {open.event});
    }
    if (submitted.again != 0) continue;
    const auto& indices = planned[submitted.render];
    const std::size_t next = ++count[submitted.render];
    const bool more = next < indices.size() && indices[next] != 0;
    open = more ? Open{submitted.context, index} : Open{};
  }
}

const Rule kRule{
    .id = "SPLIT-017",
    .aliases = "SCHED-001 SCHED-002",
    .title = "Without context save, portions are not interleaved with other contexts",
    .binds = Binds::Os,
    .rule =
        "In the Windows 7 scheduling model, between two portions of one DMA buffer only paging "
        "buffers are submitted to the node, never a DMA buffer of another context.",
    .sources =
        "splitting-a-dma-buffer.md # Note (back to back)\n"
        "gpu-preemption.md # Memory mapping considerations (Windows 7 behaviour)",
    .applies = windows7_model,
    .check = check,
    .scenario = R"(
about: two contexts with work; the buffer of the first is split
ops:
- configure: {setting: PreemptionAware, value: 0}
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_context: {context: 0}
- create_context: {context: 1}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- make_resident: {allocation: 0}
- idle
- interleave: {}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- spin: {units: 50}
- fill: {slot: 0}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- idle
)",
    .control = R"(
about: two contexts with whole buffers
ops:
- configure: {setting: PreemptionAware, value: 0}
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_context: {context: 0}
- create_context: {context: 1}
- interleave: {}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- idle
)",
    .fault = {.about = "the scheduler changes contexts between portions in any model",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::InterleavePortions}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
