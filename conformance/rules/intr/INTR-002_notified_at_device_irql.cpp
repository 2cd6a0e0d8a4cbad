// INTR-002: interrupt notification happens at device IRQL.

#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::intr_002 {
namespace {

constexpr std::uint8_t kDispatchLevel = 2;
constexpr std::uint8_t kProfileLevel = 15;

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::Notified>()) {
    judgement.reached(index);
    const std::uint8_t irql = trace.events()[index].irql;
    if (irql > kDispatchLevel && irql < kProfileLevel) continue;
    judgement.fail(index, "DxgkCbNotifyInterrupt above DISPATCH_LEVEL and below PROFILE_LEVEL",
                   "IRQL " + std::to_string(irql));
  }
}

// A driver whose DPC tells Dxgkrnl what the interrupt was about.
class NotifiesInDpc final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    adapter_ = adapter;
    pending_.push_back(*data);
  }
  void DpcRoutine(PVOID context) override {
    for (const auto& data : pending_) Interposer::NotifyInterrupt(adapter_, &data);
    pending_.clear();
    Interposer::DpcRoutine(context);
  }

 private:
  HANDLE adapter_ = nullptr;
  std::vector<DXGKARGCB_NOTIFY_INTERRUPT_DATA> pending_;
};

const Rule kRule{.id = "INTR-002",
                 .title = "Interrupt notification happens at device IRQL",
                 .rule =
                     "DxgkCbNotifyInterrupt is called above DISPATCH_LEVEL and below "
                     "PROFILE_LEVEL, so never from "
                     "a DPC, a worker thread or a DDI body at its own IRQL.",
                 .sources =
                     "nc-d3dkmddi-dxgkcb_notify_interrupt.md # Remarks\n"
                     "nc-d3dkmddi-dxgkddi_preemptcommand.md # Remarks",
                 .note = "Where it is called from is judged by INTR-013.",
                 .applies = submitting,
                 .check = check,
                 .played_in = kBothAddressings,
                 .scenario = R"(
about: a completion, and the answer to a preemption of an idle node
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 2}
- idle
- preempt: {node: 0}
- idle
)",
                 .control = R"(
about: the idle node's answer comes from SynchronizeExecution, without an interrupt
ops:
- preempt: {node: 0}
- idle
)",
                 .fault = {.about = "the notification waits for the DPC", .interposer = [] {
                             return std::unique_ptr<Interposer>(new NotifiesInDpc);
                           },
                           .also_fires = "IRQL-002"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::intr_002
