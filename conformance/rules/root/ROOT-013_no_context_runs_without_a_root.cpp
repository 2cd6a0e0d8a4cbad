// ROOT-013: a context has been given a root before anything of it is submitted. Windows' half of
// ROOT-004.

#include "conformance/rules/root/roots_told.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::root_013 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  root::RootsTold roots(platform);
  ScratchMap<std::uint32_t, std::uint32_t> created;  // event, by context
  in_order_of_calls<ev::ContextCreated, ev::RootSet>(trace, [&](std::uint32_t index) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::RootSet) roots.follow(index, trace.at<ev::RootSet>(index));
    if (kind == EventKind::ContextCreated) {
      const auto one = trace.at<ev::ContextCreated>(index);
      roots.follow(one);
      created[one.context] = index;
    }
    if (kind != EventKind::Submitted) return;
    const auto packet = trace.at<ev::Submitted>(index);
    const auto context = created.find(packet.context);
    if (packet.paging != 0 || context == created.end()) return;
    judgement.reached(index);
    if (roots.of(packet.context) != nullptr) return;
    judgement.fail(index, "SetRootPageTable before the first packet of a context",
                   "packet " + std::to_string(packet.packet) + " is submitted and context " +
                       std::to_string(packet.context) + " was never given a root",
                   {context->second});
  });
}

NotApplicable roots_are_set(const Platform& platform) {
  if (const NotApplicable reason = virtual_rendering(platform)) return reason;
  return needs(platform, DdiId::SetRootPageTable);
}

const Rule kRule{
    .id = "ROOT-013",
    .title = "Nothing is submitted for a context that has no root",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "Windows calls DxgkDdiSetRootPageTable for each context after DxgkDdiCreateContext and "
        "before the first DxgkDdiSubmitCommandVirtual that names it. A context that comes in the "
        "place of another has nothing of the root of that one.",
    .sources =
        "gpu-virtual-address.md # introduction\n"
        "gpu-virtual-address.md # Creation of page table allocations\n"
        "nc-d3dkmddi-dxgkddi_setrootpagetable.md",
    .note =
        "That the driver runs the context with this root is ROOT-004, that the root is written by "
        "then ROOT-006.",
    .applies = roots_are_set,
    .check = check,
    .played_in = kGpuVirtualConfigurations |
                 ConfigurationSet{Configured::GpuVirtualUpdates, Configured::ContextAllocations},
    .scenario = R"(
# Of what nobody is to run only the order of calls is seen: it is the same on any driver.
about: two contexts of a process, and a third in the place of one of them, have packets of which no command runs
ops:
- create_context: {context: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- null_rendering
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- destroy_context: {context: 2}
- create_context: {context: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x33333333}
- idle
)",
    .control = R"(
about: a context that nothing is submitted for
ops:
- create_context: {context: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "of all contexts of clients the first alone is given a root",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::RunWithoutRoot}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_013
