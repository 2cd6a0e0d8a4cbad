// PAGE-022: a context allocation holds what it held when it lies elsewhere.
//
// That it is initialized at all is CTX-007, that its context uses it at the new place VPAGE-011.

#include <d3dkmddi.h>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::page_022 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::ContextAllocationMoved>()) {
    const auto moved = trace.at<ev::ContextAllocationMoved>(index);
    if (moved.unlike == kNone) continue;
    judgement.reached(index);
    if (moved.unlike == 0) continue;
    judgement.fail(index, "the context allocation holds what it held before it was moved",
                   std::to_string(moved.unlike) + " of its bytes are others" +
                       (moved.evicted != 0 ? ", in system memory" : ""));
  }
}

// A driver that takes context allocations for memory that it will be asked to initialize again.
class InitializesAgain final : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    known_ = 0;
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_NOTIFY_RESIDENCY) {
      const HANDLE told = build->NotifyResidency.hAllocation;
      if (!knows(told) && known_ < kMost) told_[known_++] = told;
    }
    const bool skips = build->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER &&
                       build->TransferVirtual.hAllocation != nullptr &&
                       knows(build->TransferVirtual.hAllocation);
    return skips ? STATUS_SUCCESS : Interposer::BuildPagingBuffer(adapter, build);
  }

 private:
  static constexpr UINT kMost = 16;

  [[nodiscard]] bool knows(HANDLE allocation) const {
    for (UINT i = 0; i < known_; ++i) {
      if (told_[i] == allocation) return true;
    }
    return false;
  }

  HANDLE told_[kMost] = {};
  UINT known_ = 0;
};

NotApplicable moving_context_allocations(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return needs(platform, DdiId::SetRootPageTable);
}

const Rule kRule{
    .id = "PAGE-022",
    .title = "Context resources are kept when they move",
    .evidence = Evidence::Memory,
    .rule =
        "A context allocation is initialized once, by InitContextResource. What VidMm does with it "
        "later keeps its contents: a TransferVirtual that names it copies all of it, be it to "
        "another place, to system memory or back.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # InitContextResource\n"
        "gpu-preemption.md # Driver implementation steps (7)\n"
        "nc-d3dkmddi-dxgkcb_createcontextallocation.md # Remarks",
    .note =
        "Moved are those that the driver has NotifyResidency for, and those that it finds by GPU "
        "virtual addresses alone; others stay where they are, as nothing would tell it. Compared "
        "is when the transfer has ended and before anybody uses the new place.",
    .applies = moving_context_allocations,
    .check = check,
    .played_in = {Configured::ContextAllocations},
    .scenario = R"(
about: the memory of a context moves, there and back, and is evicted
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- move_context: {context: 1}
- idle
- move_context: {context: 1}
- idle
- move_context: {context: 1, evict: true}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
)",
    .control = R"(
about: the memory of a context stays where it is
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "nothing is copied of a context allocation",
              .interposer = [] { return std::unique_ptr<Interposer>(new InitializesAgain); },
              .also_fires = "FENCE-001 SUBMIT-017 VPAGE-011"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_022
