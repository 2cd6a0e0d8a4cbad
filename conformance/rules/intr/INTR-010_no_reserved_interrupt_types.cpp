// INTR-010: nobody reports DXGK_INTERRUPT_DMA_FAULTED.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::intr_010 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::Notified>()) {
    judgement.reached(index);
    const std::uint32_t type = trace.at<ev::Notified>(index).type;
    if (type == 0) judgement.fail(index, "an InterruptType", "0, which is none");
    if (type != DXGK_INTERRUPT_DMA_FAULTED) continue;
    judgement.fail(index, "an InterruptType that drivers may report",
                   "DXGK_INTERRUPT_DMA_FAULTED, which is reserved");
  }
}

// A driver that reports an error of the GPU beside each packet.
class ReportsErrors final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    Interposer::NotifyInterrupt(adapter, data);
    DXGKARGCB_NOTIFY_INTERRUPT_DATA error = *data;
    error.InterruptType = DXGK_INTERRUPT_DMA_FAULTED;
    Interposer::NotifyInterrupt(adapter, &error);
  }
};

const Rule kRule{
    .id = "INTR-010",
    .title = "Reserved interrupt type DMA_FAULTED is not used",
    .rule =
        "DxgkCbNotifyInterrupt is never called with DXGK_INTERRUPT_DMA_FAULTED (4), nor with 0, "
        "which is no type; from WDDM 2.0 on errors are DXGK_INTERRUPT_DMA_PAGE_FAULTED.",
    .sources = "ne-d3dkmddi-_dxgk_interrupt_type.md # DXGK_INTERRUPT_DMA_FAULTED, DMA_PAGE_FAULTED",
    .note =
        "The member of DMA_FAULTED is still described; the page of the enumeration reserves it. "
        "Types above those that are known here may come with a later interface.",
    .applies = submitting,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a packet ends
ops:
- create_context: {context: 0}
- render: {context: 0}
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
    .fault = {.about = "beside each packet that ends an error is reported",
              .interposer = [] { return std::unique_ptr<Interposer>(new ReportsErrors); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::intr_010
