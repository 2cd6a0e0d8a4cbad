// MCDM-026: every node of a device that only computes works with virtual addresses.

#include "conformance/rules/caps/node_interposers.h"
#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_026 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::NodeAnswered>()) {
    const auto node = trace.at<ev::NodeAnswered>(index);
    if (node.ordinal >= node.nodes || !NT_SUCCESS(static_cast<NTSTATUS>(node.status))) continue;
    judgement.reached(index);
    if (node.gpu_mmu != 0 || node.io_mmu != 0) continue;
    judgement.fail(index, "GpuMmuSupported or IoMmuSupported of every node",
                   "none of node " + std::to_string(node.ordinal));
  }
}

NotApplicable with_addresses(const Platform& platform) {
  if (const NotApplicable reason = compute::only(platform)) return reason;
  if (const NotApplicable reason = virtual_addresses(platform)) return reason;
  return needs(platform, DdiId::GetNodeMetadata);
}

NTSTATUS copies_physically(UINT node, DXGKARG_GETNODEMETADATA& metadata, NTSTATUS status) {
  if (node == 1 && NT_SUCCESS(status)) metadata.GpuMmuSupported = FALSE;
  return status;
}

const Rule kRule{.id = "MCDM-026",
                 .title = "Every node works in virtual mode",
                 .rule =
                     "With virtual addresses GetNodeMetadata has GpuMmuSupported or IoMmuSupported "
                     "for every node "
                     "of a device that only computes.",
                 .sources =
                     "mcdm.md # introduction (engines can't require physical mode)\n"
                     "ns-d3dkmdt-_dxgk_nodemetadata.md # GpuMmuSupported, IoMmuSupported",
                 .note = "That it agrees with other places is CAPS-013.",
                 .applies = with_addresses,
                 .check = check,
                 .played_in = compute::kPlayedIn,
                 .scenario = R"(
about: all nodes
ops:
- requery
)",
                 .control = R"(
about: all nodes, twice
ops:
- requery
- requery
)",
                 .fault = {.about = "the copy node has no MMU",
                           .interposer = answers::alters_nodes<copies_physically>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_026
