// ALLOC-018: references by DxgkCbAcquireHandleData are given back, once.

#include "conformance/host/interposer.h"
#include "conformance/rules/hex_text.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::alloc_018 {
namespace {

constexpr std::uint32_t kAcquired = 0, kReleased = 1;  // HandleReferenced::released

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> held;  // HandleReferenced, by reference
  using StopReturned = ev::MappingBalance;
  for (const std::uint32_t index : trace.of_any<ev::HandleReferenced, StopReturned>()) {
    if (trace.events()[index].kind == EventKind::HandleReferenced) {
      const auto reference = trace.at<ev::HandleReferenced>(index);
      judgement.reached(index);
      if (reference.released == kAcquired) {
        held[reference.reference] = index;
      } else if (reference.released == kReleased) {
        held.erase(reference.reference);
      } else {
        judgement.fail(index, "a release handle of a reference that is held", "another one");
      }
      continue;
    }
    if (!held.empty()) {
      const std::uint32_t first = held.begin()->second;
      judgement.fail(index, "every reference is released when StopDevice has returned",
                     std::to_string(held.size()) + " are held, the first on handle " +
                         hex_text(trace.at<ev::HandleReferenced>(first).object),
                     {first});
    }
    held.clear();
  }
}

// A driver that looks up what it opens, and holds on to it.
class HoldsOn final : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    table_ = *table;
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
  NTSTATUS OpenAllocation(HANDLE device, const DXGKARG_OPENALLOCATION* open) override {
    DXGKARGCB_GETHANDLEDATA query{};
    query.Type = DXGK_HANDLE_ALLOCATION;
    query.hObject = open->NumAllocations != 0 ? open->pOpenAllocation[0].hAllocation : 0;
    DXGKARG_RELEASE_HANDLE release{};
    static_cast<void>(table_.DxgkCbAcquireHandleData(&query, &release));
    return Interposer::OpenAllocation(device, open);
  }

 private:
  DXGKRNL_INTERFACE table_{};
};

NotApplicable references(const Platform& platform) {
  if (!platform.started) return "the driver did not start";
  return platform.wddm2() ? nullptr : "older than WDDM 2.0: there is no DxgkCbAcquireHandleData";
}

const Rule kRule{
    .id = "ALLOC-018",
    .title = "References by DxgkCbAcquireHandleData are released, once",
    .rule =
        "A reference that DxgkCbAcquireHandleData has given is given back by "
        "DxgkCbReleaseHandleData with its release handle, once: until then Dxgkrnl does not "
        "destroy the allocation.",
    .sources =
        "nc-d3dkmddi-dxgkcb_acquirehandledata.md # Remarks\n"
        "nc-d3dkmddi-dxgkcb_releasehandledata.md # Remarks\n"
        "ns-d3dkmddi-dxgkargcb_releasehandledata.md # ReleaseHandle",
    .note =
        "How long it may be held no page says: here until StopDevice returns, when all "
        "allocations have been destroyed.",
    .unreached = "the driver never calls DxgkCbAcquireHandleData",
    .applies = references,
    .check = check,
    .played_in = {Configured::GpuVirtual},
    .scenario = R"(
about: allocations are created, opened and closed, of two lives of the adapter
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1, pages: 3}
- destroy_allocation: {allocation: 0}
- stop
- start
- create_device: {device: 0}
- create_allocation: {allocation: 0}
)",
    .control = R"(
about: one allocation
ops:
- create_allocation: {allocation: 0}
)",
    .fault = {.about = "what is opened is never let go",
              .interposer = [] { return std::unique_ptr<Interposer>(new HoldsOn); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_018
