// DESTROY-007: what was closed or destroyed is not used any more.
//
// Where a block of pool was freed, the finding of a write to it says. What is read of one is a
// pattern by then, and memory that has pages of its own is inaccessible: a crash.

#include <algorithm>
#include <string_view>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/host/nt/core/kernel.h"
#include "conformance/rules/rule.h"
#include "reference/is_any_of.h"

namespace wddm::destroy_007 {
namespace {

bool ends_allocations(std::uint32_t ddi) {
  return is_any_of(static_cast<DdiId>(ddi), DdiId::CloseAllocation, DdiId::DestroyAllocation);
}

bool may_use_them(std::uint32_t ddi) {
  return is_any_of(static_cast<DdiId>(ddi), DdiId::Render, DdiId::Patch, DdiId::SubmitCommand,
                   DdiId::SubmitCommandVirtual, DdiId::BuildPagingBuffer, DdiId::DestroyContext,
                   DdiId::DestroyDevice);
}

bool was_freed_in(std::string_view finding, DdiId ddi) {
  return finding.find(std::string("after it was freed in ") + ddi_info(ddi).name) !=
         std::string_view::npos;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::uint32_t ended = kNone;  // DdiReturned
  bool used_since = false;
  for (const std::uint32_t index :
       trace.of_any<ev::DdiEntered, ev::DdiReturned, ev::Finding>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiReturned) {
      const auto call = Trace::as<ev::DdiReturned>(event);
      if (!ends_allocations(call.ddi) || !NT_SUCCESS(static_cast<NTSTATUS>(call.status))) continue;
      ended = index;
      used_since = false;
    } else if (event.kind == EventKind::DdiEntered) {
      if (ended == kNone || used_since) continue;
      if (!may_use_them(trace.at<ev::DdiEntered>(index).ddi)) continue;
      judgement.reached(index);
      used_since = true;
    } else if (Trace::as<ev::Finding>(event).kind ==
               static_cast<std::uint32_t>(nt::FindingKind::PoolUseAfterFree)) {
      const std::string_view what = trace.blob_text(event);
      if (ended == kNone) continue;
      if (!was_freed_in(what, DdiId::CloseAllocation) &&
          !was_freed_in(what, DdiId::DestroyAllocation)) {
        continue;
      }
      judgement.reached(index);
      judgement.fail(index, "nothing is written to what closing and destroying allocations freed",
                     std::string(what), {ended});
    }
  }
}

// A driver whose context knows its latest targets, and notes there that others have come.
class RemembersItsTargets final : public Interposer {
 public:
  NTSTATUS CloseAllocation(HANDLE device, const DXGKARG_CLOSEALLOCATION* close) override {
    for (UINT i = 0; i < close->NumAllocations; ++i) {
      const HANDLE gone = close->pOpenHandleList[i];
      if (std::find(targets_.begin(), targets_.end(), gone) != targets_.end()) closed_ = gone;
    }
    return Interposer::CloseAllocation(device, close);
  }
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    if (closed_ != nullptr) *static_cast<UINT*>(closed_) = 0;
    closed_ = nullptr;
    targets_.clear();
    for (UINT i = 0; i < render->AllocationListSize; ++i) {
      targets_.push_back(render->pAllocationList[i].hDeviceSpecificAllocation);
    }
    return Interposer::Render(context, render);
  }

 private:
  std::vector<HANDLE> targets_;
  HANDLE closed_ = nullptr;
};

NotApplicable closing_what_is_used(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::CloseAllocation)) return reason;
  return needs(platform, DdiId::DestroyAllocation);
}

const Rule kRule{
    .id = "DESTROY-007",
    .title = "Nothing is used after it was destroyed",
    .rule =
        "Once CloseAllocation or DestroyAllocation has returned, no later call uses what they have "
        "freed, whatever a context or the driver itself has noted of it: not Render, Patch, "
        "SubmitCommand, BuildPagingBuffer, the interrupt routine or DestroyContext.",
    .sources =
        "nc-d3dkmddi-dxgkddi_destroyallocation.md # Remarks\n"
        "nc-d3dkmddi-dxgkddi_closeallocation.md # Remarks",
    .note =
        "Judged of pool that is freed inside of these two calls, and by writes. Reads show in what "
        "follows from them: freed pool holds a pattern that is no pointer, blocks of a page and "
        "more are inaccessible. A driver that keeps freed objects for later ones is not accused.",
    .applies = closing_what_is_used,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a context renders to an allocation that is destroyed then, and to another one
ops:
- create_context: {context: 0}
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 0, size: 4096, value: 0x11111111}
- idle
- destroy_allocation: {allocation: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, offset: 0, size: 4096, value: 0x22222222}
- idle
- destroy_allocation: {allocation: 1}
- destroy_context: {context: 0}
)",
    .control = R"(
about: the context goes before what it has used
ops:
- create_context: {context: 0}
- create_context: {context: 1}
- create_allocation: {allocation: 0, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 0, size: 4096, value: 0x11111111}
- idle
- destroy_context: {context: 0}
- destroy_allocation: {allocation: 0}
- render: {context: 1}
- spin: {units: 5}
- idle
)",
    .fault = {.about = "a context writes to one of its latest targets that was closed since",
              .interposer = [] { return std::unique_ptr<Interposer>(new RemembersItsTargets); },
              .also_fires = "NT-PoolUseAfterFree"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::destroy_007
