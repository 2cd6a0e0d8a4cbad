// INTR-001: the ISR calls NotifyInterrupt and QueueDpc, and no other function of Dxgkrnl.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::intr_001 {
namespace {

bool may_call(std::uint32_t callback) {
  return callback == static_cast<std::uint32_t>(CallbackId::NotifyInterrupt) ||
         callback == static_cast<std::uint32_t>(CallbackId::QueueDpc) ||
         // Its own page allows it at any level.
         callback == static_cast<std::uint32_t>(CallbackId::LogEtwEvent);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::CallbackCalled>()) {
    const auto called = trace.at<ev::CallbackCalled>(index);
    if (called.place != static_cast<std::uint32_t>(CallPlace::Isr)) continue;
    judgement.reached(index);
    if (may_call(called.callback)) continue;
    judgement.fail(index, "DxgkCbNotifyInterrupt and DxgkCbQueueDpc only, in the ISR",
                   callback_name(called.callback));
  }
}

NotApplicable with_isr(const Platform& platform) {
  if (!platform.started) return "the driver did not start";
  return needs(platform, DdiId::InterruptRoutine);
}

// A driver that asks for its own interrupt lock in the ISR, which holds it.
class LocksAgain final : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    table_ = *table;
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
  BOOLEAN InterruptRoutine(PVOID miniport, ULONG message) override {
    const BOOLEAN claimed = Interposer::InterruptRoutine(miniport, message);
    PVOID data = nullptr;
    DXGKARGCB_GETHANDLEDATA ask{};
    if (claimed) data = table_.DxgkCbGetHandleData(&ask);
    static_cast<void>(data);
    return claimed;
  }

 private:
  DXGKRNL_INTERFACE table_{};
};

const Rule kRule{
    .id = "INTR-001",
    .title = "The ISR calls only NotifyInterrupt and QueueDpc",
    .rule =
        "While DxgkDdiInterruptRoutine runs a driver calls DxgkCbNotifyInterrupt and "
        "DxgkCbQueueDpc, and no other DxgkCb function.",
    .sources =
        "nc-dispmprt-dxgkddi_interrupt_routine.md # Remarks\n"
        "nc-dispmprt-dxgkcb_log_etw_event.md # Remarks",
    .note =
        "The page of DxgkCbLogEtwEvent lets it be called at any level, which that of the routine "
        "does not: it is not accused.",
    .unreached =
        "the interrupt routine has called nothing: without a device (--device) nothing interrupts",
    .applies = with_isr,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: packets end
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 10}
- idle
)",
    .control = R"(
about: packets of two contexts end
ops:
- create_context: {context: 0}
- create_context: {context: 1}
- render: {context: 0}
- render: {context: 1}
- idle
)",
    .fault = {.about = "the ISR asks what a handle means",
              .interposer = [] { return std::unique_ptr<Interposer>(new LocksAgain); },
              .also_fires = "IRQL-002 NT-IrqlTooHigh"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::intr_001
