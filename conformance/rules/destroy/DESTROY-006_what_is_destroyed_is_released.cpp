// DESTROY-006: closing and destroying allocations releases all that the driver held for them.

#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm {
namespace {

bool succeeded(std::uint32_t status) {
  return NT_SUCCESS(static_cast<NTSTATUS>(status));
}

bool came_and_went(const ev::AllocationGroup& group) {
  return group.pool_failed == 0 && succeeded(group.status) && succeeded(group.open_status) &&
         succeeded(group.close_status) && succeeded(group.destroy_status);
}

bool leaves_something(const ev::AllocationGroup& group) {
  return group.left_blocks > 0 || group.left_bytes > 0;
}

// From there on pool changes for other reasons too.
bool disturbs(std::uint32_t kind) {
  return fails_on_purpose(kind) || static_cast<OpKind>(kind) == OpKind::Neighbour;
}

// A driver may keep what the first of a kind has made it set up: the second finds that there.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  // The latest of each kind in this start, by standard type and number of allocations.
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> latest;
  using StopReturned = ev::MappingBalance;
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::AllocationGroup, StopReturned>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      if (disturbs(Trace::as<ev::OpStarted>(event).kind)) return;
    } else if (event.kind == EventKind::MappingBalance) {
      latest.clear();
    } else {
      const auto group = trace.at<ev::AllocationGroup>(index);
      if (!came_and_went(group)) continue;
      const auto [known, is_first] = latest.try_emplace({group.standard, group.count}, index);
      const std::uint32_t earlier = std::exchange(known->second, index);
      if (is_first) continue;
      judgement.reached(index);
      if (!leaves_something(group)) continue;
      if (!leaves_something(trace.at<ev::AllocationGroup>(earlier))) continue;
      judgement.fail(index,
                     "nothing is left of " + std::to_string(group.count) +
                         " allocations that were closed and destroyed",
                     std::to_string(group.left_bytes) + " bytes of pool more than before, in " +
                         std::to_string(group.left_blocks) + " blocks, as the last time",
                     {earlier});
    }
  }
}

// A driver that waits for DestroyAllocation to free what OpenAllocation has made.
class ClosesNothing final : public Interposer {
 public:
  NTSTATUS CloseAllocation(HANDLE, const DXGKARG_CLOSEALLOCATION*) override {
    return STATUS_SUCCESS;
  }
};

NotApplicable destroying(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::CreateAllocation)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::OpenAllocation)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::CloseAllocation)) return reason;
  return needs(platform, DdiId::DestroyAllocation);
}

const Rule kRule{
    .id = "DESTROY-006",
    .title = "What is closed and destroyed is released",
    .rule =
        "CloseAllocation and DestroyAllocation release, before they return, what the driver has "
        "kept for each allocation that is listed, and with DestroyResource what it has kept for "
        "the resource: allocations that come and go leave no memory behind.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_destroyallocation.md # Remarks\n"
        "nc-d3dkmddi-dxgkddi_destroyallocation.md # Remarks\n"
        "nc-d3dkmddi-dxgkddi_closeallocation.md # Remarks",
    .note =
        "Judged by pool, from the second of two like resources on: what the first makes a driver "
        "set up may stay. That a resource outlives its allocations without DestroyResource is not "
        "judged.",
    .applies = destroying,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: like resources come and go, of one allocation and of several, and standard ones
ops:
- requery: {allocations: 1}
- requery: {allocations: 1}
- requery: {allocations: 3}
- requery: {allocations: 3}
- requery: {allocations: 2, standard: 3}
- requery: {allocations: 2, standard: 3}
)",
    .control = R"(
about: resources of which no two are alike
ops:
- requery: {allocations: 1}
- requery: {allocations: 2}
- requery: {allocations: 3}
)",
    .fault = {.about = "CloseAllocation leaves what OpenAllocation has made",
              .interposer = [] { return std::unique_ptr<Interposer>(new ClosesNothing); },
              .also_fires = "NT-PoolLeak"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
