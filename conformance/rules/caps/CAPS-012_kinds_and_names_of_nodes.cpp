// CAPS-012: nodes have a kind, and those of no common kind a name.

#include "conformance/rules/caps/named_nodes.h"
#include "conformance/rules/caps/node_interposers.h"
#include "conformance/rules/rule.h"

namespace wddm {
namespace {

// NodeAnswered::name and ::unwritten
constexpr std::uint32_t kEmpty = 0, kString = 1, kNoEnd = 2;
constexpr std::uint32_t kTypeLeft = 1, kNameLeft = 2;

const char* wrong(const ev::NodeAnswered& node) {
  if ((node.unwritten & kTypeLeft) != 0) return "EngineType is left as it was";
  if (node.type != DXGK_ENGINE_TYPE_OTHER)
    return node.name == kNoEnd ? "a name without end" : nullptr;
  if ((node.unwritten & kNameLeft) != 0) return "FriendlyName is left as it was";
  if (node.name == kEmpty) return "no name";
  return node.name == kString ? nullptr : "a name without end";
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  std::uint32_t nodes_3d = 0, known = 0, last = kNone;
  const auto conclude = [&] {
    if (last == kNone) return;
    if (nodes_3d > 1 && !platform.compute_only) {
      judgement.fail(last, "one node of DXGK_ENGINE_TYPE_3D at most",
                     std::to_string(nodes_3d) + " of " + std::to_string(known));
    }
    nodes_3d = known = 0;
    last = kNone;
  };
  for (const std::uint32_t index : trace.of<ev::NodeAnswered>()) {
    const auto node = trace.at<ev::NodeAnswered>(index);
    if (nodes::number_of(node) == 0) conclude();  // the first of a GPU
    if (!nodes::exists(node, platform) || !NT_SUCCESS(static_cast<NTSTATUS>(node.status))) continue;
    judgement.reached(index);
    ++known;
    nodes_3d += node.type == DXGK_ENGINE_TYPE_3D;
    last = index;
    if (const char* const what = wrong(node)) {
      judgement.fail(index, "EngineType, and a FriendlyName where that is OTHER",
                     nodes::name_of(node) + ": " + what);
    }
  }
  conclude();
}

NTSTATUS all_draw(UINT, DXGKARG_GETNODEMETADATA& metadata, NTSTATUS status) {
  if (NT_SUCCESS(status)) metadata.EngineType = DXGK_ENGINE_TYPE_3D;
  return status;
}

NotApplicable with_metadata(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  return needs(platform, DdiId::GetNodeMetadata);
}

const Rule kRule{
    .id = "CAPS-012",
    .title = "Kinds and names of nodes",
    .rule =
        "GetNodeMetadata writes EngineType; of the nodes of a physical adapter not more than one "
        "is "
        "of DXGK_ENGINE_TYPE_3D. Where it is OTHER, FriendlyName is a string that is not empty; in "
        "any case it ends.",
    .sources =
        "ne-d3dkmdt-dxgk_engine_type.md # Remarks\n"
        "ns-d3dkmdt-_dxgk_nodemetadata.md # FriendlyName",
    .note =
        "The page asks for exactly one node of 3D; that there is none is not accused, nor that a "
        "device "
        "which only computes has several. It asks for empty names of known kinds too; Microsoft's "
        "own sample names its 3D node, so they are allowed.",
    .applies = with_metadata,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Linked},
    .scenario = R"(
about: all nodes
ops:
- requery
)",
    .control = R"(
about: asked twice
ops:
- requery
- requery
)",
    .fault = {.about = "every node is one of 3D", .interposer = answers::alters_nodes<all_draw>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
