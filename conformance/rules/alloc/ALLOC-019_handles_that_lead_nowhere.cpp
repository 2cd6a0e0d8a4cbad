// ALLOC-019: a call that is told of a handle that nothing is behind fails.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/is_any_of.h"
#include "reference/trace/ddi.h"

namespace wddm::alloc_019 {
namespace {

// By the scenario's wish, where something was: who looks for what it may have (its own data of an
// allocation that it has not opened yet, those of a resource) may find that there is none.
bool found_nothing(const ev::CallbackCalled& call) {
  return is_any_of(static_cast<CallbackId>(call.callback), CallbackId::GetHandleData,
                   CallbackId::AcquireHandleData) &&
         static_cast<NTSTATUS>(call.result) == STATUS_UNSUCCESSFUL;
}

// What a driver looks up elsewhere it may do without.
bool opens(std::uint32_t ddi) {
  return static_cast<DdiId>(ddi) == DdiId::OpenAllocation;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  struct Open {
    bool inside = false;
    std::uint32_t nothing = kNone;  // CallbackCalled, the first
  };
  ScratchMap<std::uint16_t, Open> threads;
  for (const std::uint32_t index :
       trace.of_any<ev::DdiEntered, ev::DdiReturned, ev::CallbackCalled>()) {
    const Event& event = trace.events()[index];
    Open& open = threads[event.thread];
    if (event.kind == EventKind::DdiEntered) {
      if (opens(Trace::as<ev::DdiEntered>(event).ddi)) open = {.inside = true};
    } else if (event.kind == EventKind::CallbackCalled) {
      const bool is_first = open.inside && open.nothing == kNone;
      if (is_first && found_nothing(Trace::as<ev::CallbackCalled>(event))) open.nothing = index;
    } else if (const auto returned = Trace::as<ev::DdiReturned>(event); opens(returned.ddi)) {
      if (open.nothing != kNone) {
        judgement.reached(index);
        if (NT_SUCCESS(static_cast<NTSTATUS>(returned.status))) {
          judgement.fail(index,
                         "STATUS_INVALID_HANDLE: no allocation is behind a handle that was named",
                         status_name(returned.status), {open.nothing});
        }
      }
      open = {};
    }
  }
}

// A driver that opens what it could not find.
class OpensWhateverItIs final : public Interposer {
 public:
  NTSTATUS OpenAllocation(HANDLE device, const DXGKARG_OPENALLOCATION* open) override {
    const NTSTATUS status = Interposer::OpenAllocation(device, open);
    return status == STATUS_INVALID_HANDLE ? STATUS_SUCCESS : status;
  }
  NTSTATUS CloseAllocation(HANDLE device, const DXGKARG_CLOSEALLOCATION* close) override {
    for (UINT i = 0; i < close->NumAllocations; ++i) {
      if (close->pOpenHandleList[i] == nullptr) return STATUS_SUCCESS;
    }
    return Interposer::CloseAllocation(device, close);
  }
};

const Rule kRule{
    .id = "ALLOC-019",
    .title = "OpenAllocation fails where a handle leads nowhere",
    .rule =
        "Where DxgkCbGetHandleData or DxgkCbAcquireHandleData returns NULL, the driver fails the "
        "call that it is in, with STATUS_INVALID_HANDLE.",
    .sources =
        "nc-d3dkmddi-dxgkcb_gethandledata.md # Returns\n"
        "nc-d3dkmddi-dxgkcb_acquirehandledata.md # Remarks",
    .note =
        "Which error it is, is not judged. Other calls than OpenAllocation may look up what they "
        "can do without.",
    .unreached = "OpenAllocation looks nothing up by DxgkCbGetHandleData",
    .applies = [](const Platform& platform) { return needs(platform, DdiId::OpenAllocation); },
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: an allocation is gone when it is to be opened; then one of several, and then none
ops:
- fail_callback: {callback: GetHandleData}
- create_allocation: {allocation: 0}
- fail_callback: {callback: AcquireHandleData}
- create_allocation: {allocation: 0}
- fail_callback: {callback: GetHandleData, kth: 3}
- requery: {allocations: 4}
- fail_callback: {callback: AcquireHandleData, kth: 3}
- requery: {allocations: 4}
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .control = R"(
about: all are there
ops:
- create_allocation: {allocation: 0}
- requery: {allocations: 4}
)",
    .fault = {.about = "what was not found is open all the same",
              .interposer = [] { return std::unique_ptr<Interposer>(new OpensWhateverItIs); },
              .also_fires = "ALLOC-008 ALLOC-009"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_019
