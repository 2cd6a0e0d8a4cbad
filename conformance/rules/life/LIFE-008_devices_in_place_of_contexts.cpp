// LIFE-008: a driver without MultiEngineAware knows devices and node 0, no contexts.

#include "conformance/rules/rule.h"
#include "reference/is_any_of.h"

namespace wddm::life_008 {
namespace {

// DeviceHandleGiven::handle
constexpr std::uint32_t kOfDevice = 1, kNull = 0;

void judge_node(std::uint32_t index, std::uint32_t node, Judgement& judgement) {
  judgement.reached(index);
  if (node == 0) return;
  judgement.fail(index, "node 0, since NbAsymetricProcessingNodes does not count",
                 "node " + std::to_string(node));
}

void judge_handle(std::uint32_t index, const ev::DeviceHandleGiven& given, Judgement& judgement) {
  judgement.reached(index);
  if (given.handle == kOfDevice) return;
  judgement.fail(index,
                 std::string(ddi_name(given.ddi)) +
                     " is called with the driver's handle of device " +
                     std::to_string(given.device),
                 given.handle == kNull ? "NULL" : "another handle");
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index :
       trace.of_any<ev::DdiEntered, ev::DeviceHandleGiven, ev::Submitted, ev::PreemptAsked,
                    ev::EngineReset>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DeviceHandleGiven) {
      judge_handle(index, Trace::as<ev::DeviceHandleGiven>(event), judgement);
    } else if (event.kind == EventKind::Submitted) {
      judge_node(index, trace.at<ev::Submitted>(index).node, judgement);
    } else if (event.kind == EventKind::PreemptAsked) {
      judge_node(index, Trace::as<ev::PreemptAsked>(event).node, judgement);
    } else if (event.kind == EventKind::EngineReset) {
      judge_node(index, Trace::as<ev::EngineReset>(event).node, judgement);
    } else {
      const std::uint32_t ddi = Trace::as<ev::DdiEntered>(event).ddi;
      if (!is_any_of(static_cast<DdiId>(ddi), DdiId::CreateContext, DdiId::DestroyContext)) {
        continue;
      }
      judgement.fail(index, "no call of CreateContext or DestroyContext", ddi_name(ddi));
    }
  }
}

NotApplicable without_contexts(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (platform.scheduling.multi_engine_aware())
    return "the driver makes contexts: MultiEngineAware";
  if (platform.has_virtual_addresses()) return "GPU virtual addresses, which are of contexts";
  return submitting(platform);
}

const Rule kRule{
    .id = "LIFE-008",
    .title = "Drivers without context support see device handles only",
    .binds = Binds::Os,
    .rule =
        "Without MultiEngineAware CreateContext and DestroyContext are never called. Where a DDI "
        "takes the handle of a context (Render, Patch, SubmitCommand) the driver gets back its "
        "handle of the device. NbAsymetricProcessingNodes does not count: work, preemption and "
        "resets are of node 0.",
    .sources =
        "ns-d3dkmddi-_dxgk_vidschcaps.md # MultiEngineAware\n"
        "ns-d3dkmddi-_dxgk_gpuenginetopology.md # NbAsymetricProcessingNodes\n"
        "ns-d3dkmddi-_dxgkarg_submitcommand.md # hDevice, hContext",
    .note =
        "Packets that page belong to no device and may have NULL there. That PagingNode does not "
        "count either says the page of DXGK_VIDMMCAPS. A driver with GPU virtual addresses and "
        "without MultiEngineAware contradicts itself, since what takes these addresses takes "
        "contexts alone. What the driver wants for its DMA buffers it says in DXGK_DEVICEINFO, by "
        "a pointer that CreateDevice leaves in pInfo.",
    .applies = without_contexts,
    .check = check,
    .played_in = {Configured::Contextless},
    .scenario = R"(
about: work of two devices, paging before and behind it, and a preemption
ops:
- create_device: {device: 1}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
- create_allocation: {allocation: 0, pages: 2, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 1}
- spin: {units: 100}
- advance: {units: 10}
- preempt: {node: 0}
- idle
- evict: {allocation: 0}
- idle
- destroy_context: {context: 1}
- destroy_device: {device: 1}
)",
    .control = R"(
about: paging alone; then devices that find no memory, and one that does
ops:
- create_allocation: {allocation: 0, pages: 2, place: local}
- make_resident: {allocation: 0}
- evict: {allocation: 0}
- idle
- fail_pool: {kth: 1}
- create_device: {device: 1}
- fail_pool: {kth: 2}
- create_device: {device: 2}
- fail_pool: {kth: 3}
- create_device: {device: 3}
- create_device: {device: 4}
- create_context: {context: 4, device: 4}
- render: {context: 4}
- spin: {units: 10}
- idle
)",
    .fault = {.about = "nodes count, so that paging runs where PagingNode says",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::NodesCounted}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::life_008
