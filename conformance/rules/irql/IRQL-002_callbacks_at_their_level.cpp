// IRQL-002: a driver calls Dxgkrnl at the IRQL that the callback's page names.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::irql_002 {
namespace {

const char* name_of(Irql irql) {
  switch (irql) {
    case Irql::Passive:
      return "PASSIVE_LEVEL";
    case Irql::Apc:
      return "APC_LEVEL";
    case Irql::Dispatch:
      return "DISPATCH_LEVEL";
    case Irql::Device:
      return "the device's IRQL";
    case Irql::High:
      return "HIGH_LEVEL";
    case Irql::Any:
      return "any IRQL";
  }
  return "?";
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const std::span<const CallbackInfo> table = callback_table();
  for (const std::uint32_t index : trace.of<ev::CallbackCalled>()) {
    const auto called = trace.at<ev::CallbackCalled>(index);
    if (called.callback >= table.size()) continue;
    const CallbackInfo& info = table[called.callback];
    judgement.reached(index);
    const std::uint8_t irql = trace.events()[index].irql;
    if (irql >= static_cast<std::uint8_t>(info.lowest) &&
        irql <= static_cast<std::uint8_t>(info.highest)) {
      continue;
    }
    const bool low = irql < static_cast<std::uint8_t>(info.lowest);
    judgement.fail(index,
                   std::string(info.name) +
                       (low ? " is called at least at " : " is called up to ") +
                       name_of(low ? info.lowest : info.highest),
                   "IRQL " + std::to_string(irql));
  }
}

// A driver that resolves a handle when it submits.
class AsksWhenItSubmits final : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    table_ = *table;
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    DXGKARGCB_GETHANDLEDATA ask{};
    static_cast<void>(table_.DxgkCbGetHandleData(&ask));
    return Interposer::PreemptCommand(adapter, preempt);
  }

 private:
  DXGKRNL_INTERFACE table_{};
};

const Rule kRule{
    .id = "IRQL-002",
    .title = "Callbacks are used at their documented IRQL",
    .rule =
        "Each DxgkCb function is called at an IRQL that its page allows: NotifyInterrupt at the "
        "device's, NotifyDpc at DISPATCH_LEVEL, GetHandleData below it, what maps memory, makes "
        "context allocations or reads configuration space at PASSIVE_LEVEL, QueueDpc at any.",
    .sources = "nc-*-dxgkcb_*.md # req.irql of each callback",
    .note = "The levels are those of the table of callbacks (ddis.md).",
    .applies = always,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: work that is preempted
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 10}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: work that ends
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 10}
- idle
)",
    .fault = {.about = "PreemptCommand asks for the data of a handle",
              .interposer = [] { return std::unique_ptr<Interposer>(new AsksWhenItSubmits); },
              .also_fires = "NT-IrqlTooHigh"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::irql_002
