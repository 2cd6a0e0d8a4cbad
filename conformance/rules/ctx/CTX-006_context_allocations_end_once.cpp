// CTX-006: a context allocation is updated and destroyed by the handle that Dxgkrnl has given it,
// and destroyed once.

#include "conformance/rules/ctx/made_context_allocations.h"
#include "conformance/rules/life/replaced_callbacks.h"
#include "conformance/rules/rule.h"
#include "reference/trace/names.h"

namespace wddm::ctx_006 {
namespace {

// What Dxgkrnl answers who names nothing, or data that are not there. It may have other reasons.
bool names_nothing(std::uint32_t result) {
  const auto status = static_cast<NTSTATUS>(result);
  return status == STATUS_INVALID_HANDLE || status == STATUS_INVALID_PARAMETER;
}

// That all of them are destroyed is ALLOC-016.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  constexpr auto kDestroy = static_cast<std::uint32_t>(CallbackId::DestroyContextAllocation);
  constexpr auto kUpdate = static_cast<std::uint32_t>(CallbackId::UpdateContextAllocation);
  constexpr auto kMap = static_cast<std::uint32_t>(CallbackId::MapContextAllocation);
  for (const std::uint32_t index : trace.of<ev::CallbackCalled>()) {
    const auto called = trace.at<ev::CallbackCalled>(index);
    const bool maps = called.callback == kMap;
    if (called.callback != kDestroy && called.callback != kUpdate && !maps) continue;
    judgement.reached(index);
    if (maps) {
      // What else a map may be refused for is VA-011.
      if (static_cast<NTSTATUS>(called.result) != STATUS_INVALID_HANDLE) continue;
      judgement.fail(index,
                     "hAllocation of DxgkCbCreateContextAllocation in DxgkCbMapContextAllocation",
                     "a handle of nothing that there is");
      continue;
    }
    if (called.callback == kUpdate) {
      if (!names_nothing(called.result)) continue;
      judgement.fail(index,
                     "hAllocation of DxgkCbCreateContextAllocation, and as many private data as "
                     "are said, in DxgkCbUpdateContextAllocation",
                     status_name(called.result));
      continue;
    }
    if (NT_SUCCESS(static_cast<NTSTATUS>(called.result))) continue;
    judgement.fail(index,
                   "hAllocation of DxgkCbCreateContextAllocation, and each of them once, in "
                   "DxgkCbDestroyContextAllocation",
                   "a handle of nothing that there is: " + status_name(called.result));
  }
}

constexpr auto kDestroyCallback = &DXGKRNL_INTERFACE::DxgkCbDestroyContextAllocation;

// A driver whose context and whose device each take the allocation for their own.
NTSTATUS twice(HANDLE adapter, HANDLE allocation) {
  static_cast<void>(callbacks::given<kDestroyCallback>(adapter, allocation));
  return callbacks::given<kDestroyCallback>(adapter, allocation);
}

const Rule kRule{
    .id = "CTX-006",
    .title = "Context allocations are destroyed once, with the right handle",
    .rule =
        "DxgkCbDestroyContextAllocation, DxgkCbUpdateContextAllocation and "
        "DxgkCbMapContextAllocation are called with the hAllocation that "
        "DxgkCbCreateContextAllocation has returned, not with the driver's own hDriverAllocation, "
        "the first once for each. pPrivateDriverData of an update has PrivateDriverDataSize bytes.",
    .sources =
        "nc-d3dkmddi-dxgkcb_destroycontextallocation.md # hAllocation, Remarks\n"
        "ns-d3dkmddi-_dxgkargcb_updatecontextallocation.md # hAllocation, pPrivateDriverData\n"
        "ns-d3dkmddi-_dxgkargcb_mapcontextallocation.md # hAllocation\n"
        "gpu-preemption.md # Driver implementation steps (6)",
    .note = "Until when, is ALLOC-016; the handle of the adapter is LIFE-002.",
    .unreached = "the driver neither maps nor updates nor destroys context allocations",
    .applies = ctx::context_allocations,
    .check = check,
    .played_in = {Configured::ContextAllocations},
    .scenario = R"(
about: contexts go by themselves, and with their device
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
- create_context: {context: 2, device: 1}
- destroy_context: {context: 0}
- destroy_context: {context: 1}
- destroy_device: {device: 1}
)",
    .control = R"(
about: contexts that stay until the adapter stops
ops:
- create_context: {context: 0}
- create_context: {context: 1}
)",
    .fault = {.about = "context and device both destroy each context allocation",
              .interposer = callbacks::replaces<kDestroyCallback, &twice>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::ctx_006
