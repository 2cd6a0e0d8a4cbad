// PREEMPT-014: an engine goes no further after a request than its granularity lets it.

#include "conformance/rules/preempt/begun_after_request.h"
#include "conformance/rules/preempt/lets_all_run.h"
#include "conformance/rules/rule.h"

namespace wddm::preempt_014 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  preempt::judge_begun_after_request(trace, platform, judgement);
}

NotApplicable stopping_between_packets(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  if (!platform.compute_only) {
    if (!platform.scheduling.preemption_aware()) return "PreemptionAware is 0";
    const bool none = platform.graphics_preemption == 0 || platform.compute_preemption == 0;
    if (none) return "a granularity of preemption is NONE";
  }
  return platform.has_device_log ? nullptr : "no device log";
}

const Rule kRule{
    .id = "PREEMPT-014",
    .aliases = "MCDM-018",
    .title = "Claimed granularity is honoured",
    .evidence = Evidence::DeviceLog,
    .rule =
        "An engine that is asked to be preempted goes on at most to the next boundary of the kind "
        "that the driver claims. Whatever that is, unless it is NONE: packets that the engine has "
        "not begun do not begin. A device that only computes can always cancel those.",
    .sources =
        "ne-d3dkmdt-_d3dkmdt_graphics_preemption_granularity.md # enumerators\n"
        "ne-d3dkmdt-_d3dkmdt_compute_preemption_granularity.md # enumerators\n"
        "gpu-preemption.md # Driver implementation steps (3)\n"
        "mcdm-architecture.md # Preemption\n"
        "mcdm-implementation-guidelines.md # Driver capability requirements",
    .note =
        "How far the packet that runs may go is PREEMPT-013. One packet may begin between the "
        "return of PreemptCommand and the answer: the request is on its way to the hardware then. "
        "Judged where two or more wait. With NONE the queue drains. Of a device that draws the "
        "granularities are those of nodes that do, of EngineType 3D.",
    .unreached =
        "no engine that was asked to be preempted had two packets that its log had not begun, and "
        "answered",
    .applies = stopping_between_packets,
    .check = check,
    .played_in = {Configured::Default, Configured::NoDmaPatching, Configured::GpuVirtual,
                  Configured::Linked, Configured::ComputeOnly},
    .scenario = R"(
about: one packet runs and three wait when the engine is preempted
ops:
- create_context: {context: 0}
- queue_depth: {packets: 4}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 3000}
- render: {context: 0}
- spin: {units: 50}
- render: {context: 0}
- spin: {units: 50}
- render: {context: 0}
- spin: {units: 50}
# Its pages come first, of which a link has twice as many: the packet is far longer than they take.
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: the only packet runs
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 3000}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "the request waits until all packets have run",
              .interposer = [] { return std::unique_ptr<Interposer>(new preempt::LetsAllRun); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_014
