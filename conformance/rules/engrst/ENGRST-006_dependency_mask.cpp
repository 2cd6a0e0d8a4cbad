// ENGRST-006: the mask of dependent engines includes the node itself, and no node that is none.

#include "conformance/host/interposer.h"
#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/hex_text.h"

namespace wddm::engrst_006 {
namespace {

constexpr std::uint32_t kMostNodes = 64;  // bits of a mask

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::DependentsAsked>()) {
    const auto asked = trace.at<ev::DependentsAsked>(index);
    judgement.reached(index);
    if (!engrst::succeeded(asked.status)) {
      judgement.fail(index, "QueryDependentEngineGroup succeeds", status_name(asked.status));
      continue;
    }
    const bool itself = asked.node < kMostNodes && (asked.mask >> asked.node & 1) != 0;
    if (!itself) {
      judgement.fail(index, "the bit of node " + std::to_string(asked.node) + " itself",
                     "DependentNodeOrdinalMask " + hex_text(asked.mask));
    }
    const bool none = platform.nodes < kMostNodes && asked.mask >> platform.nodes != 0;
    if (none) {
      judgement.fail(index, "bits of nodes that there are",
                     "DependentNodeOrdinalMask " + hex_text(asked.mask));
    }
  }
}

// A driver that names only those besides.
class NamesOthers final : public Interposer {
 public:
  NTSTATUS QueryDependentEngineGroup(HANDLE adapter,
                                     DXGKARG_QUERYDEPENDENTENGINEGROUP* query) override {
    const NTSTATUS status = Interposer::QueryDependentEngineGroup(adapter, query);
    query->DependentNodeOrdinalMask &= ~(1ull << query->NodeOrdinal);
    return status;
  }
};

NotApplicable asked_for_dependents(const Platform& platform) {
  if (const NotApplicable reason = engrst::engine_resets(platform)) return reason;
  return needs(platform, DdiId::QueryDependentEngineGroup);
}

// Two engines work for devices of their own; one is given up.
#define RESET_BESIDE(reset, other)                          \
  "- create_device: {device: 5}\n"                          \
  "- create_device: {device: 6}\n"                          \
  "- create_context: {context: 7, device: 5, node: " #reset \
  "}\n"                                                     \
  "- create_context: {context: 8, device: 6, node: " #other \
  "}\n"                                                     \
  "- render: {context: 7}\n"                                \
  "- render: {context: 8}\n"                                \
  "- idle\n"                                                \
  "- render: {context: 7}\n"                                \
  "- spin: {units: 900}\n"                                  \
  "- render: {context: 8}\n"                                \
  "- spin: {units: 300}\n"                                  \
  "- advance: {units: 10}\n"                                \
  "- advance: {units: 10}\n"                                \
  "- time_out: {node: " #reset                              \
  ", units: 20}\n"                                          \
  "- idle\n"                                                \
  "- destroy_device: {device: 5}\n"                         \
  "- destroy_device: {device: 6}\n"

const Rule kRule{
    .id = "ENGRST-006",
    .title = "The mask of dependent engines includes the node itself and no others than there are",
    .rule =
        "QueryDependentEngineGroup succeeds, and DependentNodeOrdinalMask has the bit of the node "
        "that it is asked for and none of a node that the adapter does not have.",
    .sources =
        "nc-d3dkmddi-dxgkddi_querydependentenginegroup.md # Remarks\n"
        "bug-check-0x119---video-scheduler-internal-error.md # 0x8",
    .note =
        "Which other nodes a reset takes along only the hardware knows: packets that are lost so "
        "are the matter of FENCE-001.",
    .applies = asked_for_dependents,
    .check = check,
    .played_in = {Configured::Default, Configured::GpuVirtual},
    .scenario = R"(
about: each node times out, and once more beside another
ops:
- create_context: {context: 0, node: 0}
- create_context: {context: 1, node: 1}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- idle
- create_device: {device: 1}
- create_context: {context: 2, device: 1, node: 1}
- render: {context: 2}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 1}
- idle
# Each is reset while the other is in a packet and has one behind it, which come to their end.
- queue_depth: {packets: 3}
- create_device: {device: 2}
- create_device: {device: 3}
- create_context: {context: 3, device: 2}
- create_context: {context: 4, device: 3, node: 1}
- render: {context: 3}
- render: {context: 4}
- idle
- render: {context: 4}
- spin: {units: 900}
- render: {context: 4}
- spin: {units: 5}
- render: {context: 3}
- spin: {units: 900}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 100}
- time_out: {node: 0}
- idle
- create_device: {device: 4}
- create_context: {context: 5, device: 4, node: 1}
- create_context: {context: 6, device: 3}
- render: {context: 5}
- render: {context: 6}
- idle
- render: {context: 6}
- spin: {units: 900}
- render: {context: 6}
- spin: {units: 5}
- render: {context: 5}
- spin: {units: 900}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 100}
- time_out: {node: 1}
- idle
# Beside a third node, of a driver that has one.
)" RESET_BESIDE(1, 2) RESET_BESIDE(2, 1) RESET_BESIDE(2, 0),
    .control = R"(
about: one does, while the other has work and more behind it
ops:
- queue_depth: {packets: 3}
- create_context: {context: 0, node: 0}
- create_device: {device: 1}
- create_context: {context: 1, node: 1, device: 1}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- render: {context: 1}
- spin: {units: 300}
- render: {context: 1}
- spin: {units: 5}
- render: {context: 1}
- spin: {units: 5}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- idle
)",
    .fault = {.about = "the node itself is left out of the mask",
              .interposer = [] { return std::unique_ptr<Interposer>(new NamesOthers); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::engrst_006
