// CAPS-011: the nodes that capabilities count are those that GetNodeMetadata knows.

#include "conformance/rules/caps/answered_caps.h"
#include "conformance/rules/caps/named_nodes.h"
#include "conformance/rules/caps/node_interposers.h"
#include "conformance/rules/rule.h"

namespace wddm::caps_011 {
namespace {

constexpr std::uint32_t kMostNodes = 64;

bool answered(std::uint32_t status) {
  return NT_SUCCESS(static_cast<NTSTATUS>(status));
}

std::string text_of(const ev::NodeAnswered& node) {
  return nodes::name_of(node) + ": " + status_name(node.status);
}

// From WDDM 2.0 on the physical adapter says which node pages: CAPS-013.
void check_paging_node(const Trace& trace, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::CapsAnswered>()) {
    DXGK_DRIVERCAPS caps;
    if (!answers::over_zeros(trace, index) || !answers::caps_of(trace, index, caps)) continue;
    const UINT nodes = caps.GpuEngineTopology.NbAsymetricProcessingNodes;
    if (caps.SchedulingCaps.MultiEngineAware == 0 || nodes == 0) continue;
    judgement.reached(index);
    if (caps.MemoryManagementCaps.PagingNode < nodes) continue;
    judgement.fail(index, "PagingNode below NbAsymetricProcessingNodes, " + std::to_string(nodes),
                   std::to_string(caps.MemoryManagementCaps.PagingNode));
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (!platform.wddm2()) check_paging_node(trace, judgement);
  for (const std::uint32_t index : trace.of<ev::CapsReported>()) {
    const auto reported = trace.at<ev::CapsReported>(index);
    if (reported.status != 0 || !platform.scheduling.multi_engine_aware()) continue;
    judgement.reached(index);
    if (reported.nodes != 0 && reported.nodes <= kMostNodes) continue;
    judgement.fail(index, "NbAsymetricProcessingNodes from 1 to 64",
                   std::to_string(reported.nodes));
  }
  for (const std::uint32_t index : trace.of<ev::NodeAnswered>()) {
    const auto node = trace.at<ev::NodeAnswered>(index);
    judgement.reached(index);
    if (node.behind != 0) {
      judgement.fail(index, "a DXGKARG_GETNODEMETADATA and no more is written",
                     std::to_string(node.behind) + " bytes behind it");
    }
    // A driver of one GPU may take no notice of the adapter's index.
    const bool no_gpu = nodes::gpu_of(node) != 0 && nodes::gpu_of(node) >= platform.linked_adapters;
    if (no_gpu && answered(node.status)) continue;
    if (nodes::exists(node, platform) && node.status != 0) {
      judgement.fail(index,
                     "STATUS_SUCCESS for each of the " + std::to_string(node.nodes) + " nodes",
                     text_of(node));
    } else if (!nodes::exists(node, platform) && answered(node.status)) {
      judgement.fail(index, "STATUS_INVALID_PARAMETER for a node that there is not", text_of(node));
    }
  }
}

NotApplicable with_nodes(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (!platform.scheduling.multi_engine_aware()) return "one node: no MultiEngineAware";
  return needs(platform, DdiId::GetNodeMetadata);
}

NTSTATUS knows_any(UINT, DXGKARG_GETNODEMETADATA&, NTSTATUS) {
  return STATUS_SUCCESS;
}

const Rule kRule{
    .id = "CAPS-011",
    .title = "Node count and GetNodeMetadata agree",
    .rule =
        "NbAsymetricProcessingNodes is from 1 to 64. GetNodeMetadata returns STATUS_SUCCESS for "
        "every ordinal below it, of each GPU of a link, and fails for others. The node that pages, "
        "by PagingNode of a driver of WDDM 1, is one of them.",
    .sources =
        "nc-d3dkmddi-dxgkddi_getnodemetadata.md # returns\n"
        "ns-d3dkmdt-d3dkmt_nodemetadata.md # NodeOrdinalAndAdapterIndex\n"
        "ns-d3dkmddi-_dxgk_gpuenginetopology.md # fields\n"
        "ns-d3dkmddi-_dxgk_vidmmcaps.md # PagingNode\n"
        "enumerating-gpu-nodes.md",
    .note =
        "How ordinal and GPU share one number is said of D3DKMT_NODEMETADATA, whose member has the "
        "same name. Any failure is taken for STATUS_INVALID_PARAMETER. Without MultiEngineAware "
        "the "
        "number is ignored. Null pointers and handles of others are not tried.",
    .applies = with_nodes,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Linked},
    .scenario = R"(
about: all nodes, and two that there are not
ops:
- requery
)",
    .control = R"(
about: the adapter starts
ops:
- start
)",
    .fault = {.about = "GetNodeMetadata succeeds for any ordinal",
              .interposer = answers::alters_nodes<knows_any>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::caps_011
