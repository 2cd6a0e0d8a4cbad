// CAPS-012: nodes have a kind, and those of no common kind a name; their reserved flags are 0.

#include "conformance/rules/caps/named_nodes.h"
#include "conformance/rules/caps/node_interposers.h"
#include "conformance/rules/hex_text.h"
#include "conformance/rules/rule.h"

namespace wddm::caps_012 {
namespace {

// NodeAnswered::name and ::unwritten
constexpr std::uint32_t kEmpty = 0, kString = 1, kNoEnd = 2;
constexpr std::uint32_t kTypeLeft = 1, kNameLeft = 2;

// Kinds that come later nobody knows.
bool is_kind(std::uint32_t type, std::uint32_t version) {
  return type <= DXGK_ENGINE_TYPE_VIDEO_CODEC || version > DXGKDDI_INTERFACE_VERSION_WDDM3_2;
}

const char* wrong(const ev::NodeAnswered& node, std::uint32_t version) {
  if ((node.unwritten & kTypeLeft) != 0) return "EngineType is left as it was";
  if (!is_kind(node.type, version)) return "an EngineType that there is not";
  if (node.type != DXGK_ENGINE_TYPE_OTHER)
    return node.name == kNoEnd ? "a name without end" : nullptr;
  if ((node.unwritten & kNameLeft) != 0) return "FriendlyName is left as it was";
  if (node.name == kEmpty) return "no name";
  return node.name == kString ? nullptr : "a name without end";
}

// Of DXGK_NODEMETADATA_FLAGS; the upper half counts something in one of its layouts.
constexpr std::uint32_t kUserModeSubmission = 1u << 3, kBuildTestCommandBuffer = 1u << 4,
                        kReserved = 0xFFE0;

std::uint32_t reserved_flags(std::uint32_t version) {
  if (version < DXGKDDI_INTERFACE_VERSION_WDDM3_1) {
    return kReserved | kBuildTestCommandBuffer | kUserModeSubmission;
  }
  if (version < DXGKDDI_INTERFACE_VERSION_WDDM3_2) return kReserved | kBuildTestCommandBuffer;
  return version == DXGKDDI_INTERFACE_VERSION_WDDM3_2 ? kReserved : 0;
}

void judge_flags(std::uint32_t index, const ev::NodeAnswered& node, std::uint32_t version,
                 Judgement& judgement) {
  const std::uint32_t wrong = node.flags & reserved_flags(version);
  if (wrong == 0) return;
  judgement.fail(index, "0 in Flags that are reserved in the driver's version of the interface",
                 "node " + std::to_string(node.ordinal) + ": " + hex_text(wrong));
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
    judge_flags(index, node, platform.interface_version, judgement);
    if (const char* const what = wrong(node, platform.interface_version)) {
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
    .title = "Kinds, names and flags of nodes",
    .rule =
        "GetNodeMetadata writes EngineType, one of the kinds that there are; of the nodes of a "
        "physical adapter not more than one "
        "is "
        "of DXGK_ENGINE_TYPE_3D. Where it is OTHER, FriendlyName is a string that is not empty; in "
        "any case it ends. Flags that the driver's version of the interface does not have are 0.",
    .sources =
        "ne-d3dkmdt-dxgk_engine_type.md # Remarks\n"
        "ns-d3dkmdt-_dxgk_nodemetadata.md # FriendlyName\n"
        "ns-d3dkmdt-_dxgk_nodemetadata_flags.md # Reserved",
    .note =
        "The page asks for exactly one node of 3D; that there is none is not accused, nor that a "
        "device "
        "which only computes has several. It asks for empty names of known kinds too; Microsoft's "
        "own sample names its 3D node, so they are allowed. Of the flags those between the third "
        "bit and "
        "the upper half are judged: UserModeSubmission came with WDDM 3.1, "
        "SupportBuildTestCommandBuffer with 3.2, and what comes later nobody knows here.",
    .applies = with_metadata,
    .check = check,
    .played_in =
        kBothAddressings | ConfigurationSet{Configured::Linked, Configured::KernelModeTesting},
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
}  // namespace wddm::caps_012
