// VA-009: PagingCompanionNodeId of a context is a node that there is.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::ContextCreated>()) {
    const auto created = trace.at<ev::ContextCreated>(index);
    if (static_cast<std::int32_t>(created.status) < 0) continue;
    judgement.reached(index);
    if (created.companion_node < platform.nodes) continue;
    judgement.fail(
        index,
        "a PagingCompanionNodeId below " + std::to_string(platform.nodes) + ", the number of nodes",
        std::to_string(created.companion_node) + ", of context " + std::to_string(created.context));
  }
}

// A driver that leaves the member as it finds it.
class LeavesGarbage final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (!create->Flags.SystemContext) create->ContextInfo.PagingCompanionNodeId = 0xCDCDCDCD;
    return status;
  }
};

const Rule kRule{
    .id = "VA-009",
    .title = "Paging companion context runs on the node the driver chose",
    .evidence = Evidence::Boundary,
    .rule =
        "DXGK_CONTEXTINFO::PagingCompanionNodeId is the index of a node that there is, and that "
        "executes paging operations: updates of tile mappings run there, in a context of Windows' "
        "own in the process's privileged address space.",
    .sources =
        "tile-resources.md\n"
        "ns-d3dkmddi-_dxgk_contextinfo.md # PagingCompanionNodeId\n"
        "per-process-gpu-virtual-address-spaces.md # Process privileged virtual address space",
    .note =
        "Judged is the number alone: this host makes no companion, and runs no paging there for "
        "it.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: contexts on which updates of addresses could wait
ops:
- create_context: {context: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .control = R"(
about: the contexts of the system process
ops:
- start
)",
    .fault = {.about = "PagingCompanionNodeId is not written",
              .interposer = [] { return std::unique_ptr<Interposer>(new LeavesGarbage); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
