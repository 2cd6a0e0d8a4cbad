// INTR-009: notifications name an engine that there is.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::intr_009 {
namespace {

bool of_a_packet(std::uint32_t type) {
  return type == DXGK_INTERRUPT_DMA_COMPLETED || type == DXGK_INTERRUPT_DMA_PREEMPTED ||
         type == DXGK_INTERRUPT_DMA_PAGE_FAULTED;
}

// Bits of DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS that some page explains.
constexpr std::uint32_t kKnownFlags = 7;

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const bool has_flags = platform.wddm1_2();
  const std::uint32_t adapters = platform.linked_adapters == 0 ? 1 : platform.linked_adapters;
  for (const std::uint32_t index : trace.of<ev::Notified>()) {
    const auto notified = trace.at<ev::Notified>(index);
    if (!of_a_packet(notified.type)) continue;
    judgement.reached(index);
    if (notified.node >= platform.nodes) {
      judgement.fail(index, "a NodeOrdinal below " + std::to_string(platform.nodes),
                     std::to_string(notified.node));
    }
    if (notified.engine >= adapters) {
      judgement.fail(index, "an EngineOrdinal below " + std::to_string(adapters),
                     std::to_string(notified.engine));
    }
    if (has_flags && (notified.flags & ~kKnownFlags) != 0) {
      judgement.fail(index, "reserved bits of Flags that are 0", std::to_string(notified.flags));
    }
  }
}

NotApplicable reporting(const Platform& platform) {
  if (const NotApplicable reason = submitting(platform)) return reason;
  return platform.has_caps ? nullptr : "no capabilities: nobody knows its nodes";
}

// A driver that fills in what it thinks of, over what the stack held.
class LeavesFlags final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    altered.Flags.Value = 0xCCCCCCCC;
    Interposer::NotifyInterrupt(adapter, &altered);
  }
};

const Rule kRule{
    .id = "INTR-009",
    .title = "Notification data are complete and in range",
    .rule =
        "Where packets are reported, NodeOrdinal is below the number of nodes, EngineOrdinal below "
        "the number of physical adapters of the link, and reserved bits of Flags are 0.",
    .sources =
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaCompleted, DmaPreempted, Remarks\n"
        "ns-d3dkmddi-_dxgkcb_notify_interrupt_data_flags.md # Reserved",
    .note =
        "That it is the engine of the packet is judged by FENCE-001 and FENCE-003. Of Flags the "
        "lowest "
        "three bits have a meaning on some page.",
    .applies = reporting,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: packets of two nodes end
ops:
- create_context: {context: 0}
- create_context: {context: 1, node: 1}
- render: {context: 0}
- spin: {units: 10}
- render: {context: 1}
- idle
)",
    .control = R"(
about: a packet is preempted
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 10}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "Flags hold what the stack held",
              .interposer = [] { return std::unique_ptr<Interposer>(new LeavesFlags); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::intr_009
