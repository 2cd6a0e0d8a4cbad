// CAPS-013: capabilities, physical adapter and nodes say the same of nodes and MMUs.

#include "conformance/rules/caps/named_nodes.h"
#include "conformance/rules/caps/node_interposers.h"
#include "conformance/rules/rule.h"

namespace wddm::caps_013 {
namespace {

// DXGK_VIDMMCAPS and DXGK_PHYSICALADAPTERFLAGS.
constexpr std::uint32_t kVidMmGpuMmu = 1u << 6;
constexpr std::uint32_t kIoMmuFlag = 1u << 0, kGpuMmuFlag = 1u << 1;

bool answered(std::uint32_t status) {
  return NT_SUCCESS(static_cast<NTSTATUS>(status));
}

// Whether the node answered for its MMU; see NodeAnswered::unwritten.
bool says_of_mmu(const ev::NodeAnswered& node) {
  constexpr std::uint32_t kGpuMmuSupported = 8;
  return (node.unwritten & kGpuMmuSupported) == 0;
}

// PagingNodeIndex of a GPU; kNone: it was not answered.
std::uint32_t paging_node(const Trace& trace, std::uint32_t gpu) {
  for (const std::uint32_t index : trace.of<ev::PhysicalAdapterReported>()) {
    const auto adapter = trace.at<ev::PhysicalAdapterReported>(index);
    if (adapter.physical_adapter == gpu && answered(adapter.status)) return adapter.paging_node;
  }
  return kNone;
}

// Whether the GPU that a node belongs to has said that it has nothing to do with an IOMMU.
bool lacks_io_mmu(const Trace& trace, std::uint32_t gpu) {
  for (const std::uint32_t index : trace.of<ev::PhysicalAdapterReported>()) {
    const auto adapter = trace.at<ev::PhysicalAdapterReported>(index);
    if (adapter.physical_adapter != gpu || !answered(adapter.status)) continue;
    return (adapter.flags & kIoMmuFlag) == 0;
  }
  return false;
}

// Whose handle it is where nothing is linked: of links LDA-002 wants more. Without one no other
// adapter is named.
void check_handle(std::uint32_t index, const ev::PhysicalAdapterReported& adapter,
                  Judgement& judgement) {
  constexpr std::uint32_t kAnother = 2;  // PhysicalAdapterReported::handle
  if (adapter.handle != kAnother) return;
  judgement.fail(index, "the DeviceHandle of this start as DxgkPhysicalAdapterHandle", "another");
}

void check_adapters(const Trace& trace, const Platform& platform, std::uint32_t nodes, bool gpu_mmu,
                    Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::PhysicalAdapterReported>()) {
    const auto adapter = trace.at<ev::PhysicalAdapterReported>(index);
    if (!answered(adapter.status)) continue;
    judgement.reached(index);
    if (platform.linked_adapters <= 1) check_handle(index, adapter, judgement);
    // In a link the capabilities are the lead's.
    if (adapter.physical_adapter == 0 && nodes != kNone && adapter.nodes != nodes) {
      judgement.fail(index, "NumExecutionNodes as capabilities count, " + std::to_string(nodes),
                     std::to_string(adapter.nodes));
    } else if (adapter.paging_node >= adapter.nodes) {
      judgement.fail(index, "a PagingNodeIndex below NumExecutionNodes",
                     std::to_string(adapter.paging_node) + " of " + std::to_string(adapter.nodes));
    }
    if (gpu_mmu && (adapter.flags & kGpuMmuFlag) == 0) {
      judgement.fail(index, "GpuMmuSupported of the physical adapter, as in DXGK_VIDMMCAPS", "0");
    }
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  bool gpu_mmu = false, known = false;
  std::uint32_t nodes = kNone;
  for (const std::uint32_t index : trace.of<ev::CapsReported>()) {
    const auto caps = trace.at<ev::CapsReported>(index);
    if (!answered(caps.status) || known) continue;
    known = true;
    gpu_mmu = platform.wddm2() && (caps.memory & kVidMmGpuMmu) != 0;
    // Without MultiEngineAware the number is ignored.
    if (SchedulingCaps{caps.scheduling}.multi_engine_aware()) nodes = caps.nodes;
  }
  if (!known) return;
  check_adapters(trace, platform, nodes, gpu_mmu, judgement);
  for (const std::uint32_t index : trace.of<ev::NodeAnswered>()) {
    const auto node = trace.at<ev::NodeAnswered>(index);
    if (!nodes::exists(node, platform) || !answered(node.status)) continue;
    judgement.reached(index);
    const bool pages = nodes::number_of(node) == paging_node(trace, nodes::gpu_of(node));
    if (node.gpu_mmu != 0 && !gpu_mmu) {
      judgement.fail(index, "GpuMmuSupported of nodes only where the adapter has it",
                     nodes::name_of(node) + " has it alone");
    } else if (gpu_mmu && pages && node.gpu_mmu == 0 && says_of_mmu(node)) {
      judgement.fail(index, "GpuMmuSupported of the node that pages by virtual address",
                     nodes::name_of(node) + " has it not");
    }
    constexpr std::uint32_t kIoMmuSupported = 16;  // NodeAnswered::unwritten
    const bool io_mmu = node.io_mmu != 0 && (node.unwritten & kIoMmuSupported) == 0;
    if (io_mmu && lacks_io_mmu(trace, nodes::gpu_of(node))) {
      judgement.fail(index, "IoMmuSupported of nodes only where their physical adapter has it",
                     nodes::name_of(node) + " has it alone");
    }
  }
}

// A driver that counts from one.
class CountsFromOne final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_PHYSICALADAPTERCAPS && NT_SUCCESS(status)) {
      ++static_cast<DXGK_PHYSICALADAPTERCAPS*>(query->pOutputData)->NumExecutionNodes;
    }
    return status;
  }
};

// What has no MMU says so of its nodes too; physical adapters are asked about where they matter.
NotApplicable tells_of_nodes(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (!platform.wddm2()) return "the driver is one of WDDM 1, whose capabilities know no MMU";
  if (platform.has_virtual_addresses() || platform.linked_adapters > 1) return nullptr;
  return needs(platform, DdiId::GetNodeMetadata);
}

const Rule kRule{
    .id = "CAPS-013",
    .title = "Capabilities, physical adapter and nodes agree",
    .level = Level::Should,
    .rule =
        "With MultiEngineAware NumExecutionNodes of DXGK_PHYSICALADAPTERCAPS is "
        "NbAsymetricProcessingNodes, "
        "PagingNodeIndex "
        "is below it, and its GpuMmuSupported is set where DXGK_VIDMMCAPS has it; a node has "
        "GpuMmuSupported only then, and the node that pages has it then. It has IoMmuSupported "
        "only where its physical adapter has it. DxgkPhysicalAdapterHandle "
        "is the DeviceHandle of this start.",
    .sources =
        "ns-d3dkmddi-_dxgk_physicaladaptercaps.md # fields\n"
        "ns-d3dkmddi-_dxgk_gpuenginetopology.md # fields\n"
        "ns-d3dkmddi-_dxgk_physicaladapterflags.md # IoMmuSupported\n"
        "ns-d3dkmdt-_dxgk_nodemetadata.md # GpuMmuSupported, IoMmuSupported",
    .note =
        "That the places agree is derived: one adapter is described. In a link the number is "
        "compared "
        "of its lead alone. Of IoMmuSupported nothing else is judged: pages differ on whether both "
        "may be set. "
        "No handle at all is not accused.",
    .applies = tells_of_nodes,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::LinkedUnlikeMmus},
    .scenario = R"(
about: asked again, and of all nodes, and when the adapter has started anew
ops:
- requery
- cycle: {count: 1}
- requery
)",
    .control = R"(
about: the adapter starts
ops:
- start
)",
    .fault = {.about = "NumExecutionNodes is one too many",
              .interposer = [] { return std::unique_ptr<Interposer>(new CountsFromOne); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::caps_013
