// ALLOC-016: context allocations are destroyed, the last of them before the device has stopped.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::alloc_016 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  constexpr auto kDestroy = static_cast<std::uint32_t>(CallbackId::DestroyContextAllocation);
  std::uint32_t made = 0, destroyed = 0, last = kNone;
  using StopReturned = ev::MappingBalance;
  for (const std::uint32_t index :
       trace.of_any<ev::ContextAllocationMade, ev::CallbackCalled, StopReturned>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::ContextAllocationMade) {
      const auto one = trace.at<ev::ContextAllocationMade>(index);
      if (!NT_SUCCESS(static_cast<NTSTATUS>(one.status))) continue;
      ++made;
      last = index;
    } else if (event.kind == EventKind::CallbackCalled) {
      const auto called = Trace::as<ev::CallbackCalled>(event);
      if (called.callback == kDestroy && NT_SUCCESS(static_cast<NTSTATUS>(called.result))) {
        ++destroyed;
      }
    } else {
      if (made != 0) judgement.reached(index);
      if (destroyed < made) {
        judgement.fail(
            index, "each context allocation is destroyed when StopDevice has returned",
            std::to_string(made - destroyed) + " of " + std::to_string(made) + " are left", {last});
      }
      made = destroyed = 0;
      last = kNone;
    }
  }
}

// A driver that leaves its first context as it is.
class ForgetsItsFirstContext final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (first_ == nullptr && !create->Flags.SystemContext) first_ = create->hContext;
    return status;
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    return context == first_ ? STATUS_SUCCESS : Interposer::DestroyContext(context);
  }

 private:
  HANDLE first_ = nullptr;
};

const Rule kRule{
    .id = "ALLOC-016",
    .title = "Context allocations are destroyed",
    .level = Level::Should,
    .rule =
        "What a driver has made with DxgkCbCreateContextAllocation it has destroyed with "
        "DxgkCbDestroyContextAllocation when StopDevice returns.",
    .sources =
        "nc-d3dkmddi-dxgkcb_createcontextallocation.md # Remarks\n"
        "nc-d3dkmddi-dxgkcb_destroycontextallocation.md",
    .note =
        "No page says when: a driver may keep one beyond the end of its context, for the next one. "
        "A handle of an adapter that has stopped means nothing any more.",
    .unreached = "the driver makes no context allocations",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::ContextAllocations},
    .scenario = R"(
about: contexts come and go
ops:
- create_context: {context: 1}
- create_context: {context: 2}
- destroy_context: {context: 1}
- create_context: {context: 1}
- idle
)",
    .control = R"(
about: the system contexts alone
ops:
- start
)",
    .fault = {.about = "the first context is never destroyed",
              .interposer = [] { return std::unique_ptr<Interposer>(new ForgetsItsFirstContext); },
              .also_fires = "NT-PoolLeak"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_016
