#include "conformance/host/boundary/residency_faults.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "conformance/host/boundary/fault_seats.h"

namespace wddm::host {
namespace {

// RES-001
class BringsInWhatIsNotRequired final : public DecisionSeat {
  bool brings_in_what_is_not_required() override { return true; }
};
// RES-003, RES-011: an eviction waits for nobody.
class EvictsAtOnce final : public DecisionSeat {
  bool evicts_at_once() override { return true; }
};

// What else the oracle is asked, its answers left out.
void ask_too(gpuva::Residency& residency, const gpuva::ResidencyInput& input,
             std::vector<gpuva::ResidencyDecision>& decided) {
  for (const gpuva::ResidencyDecision& decision : residency.step(input)) {
    if (!std::holds_alternative<gpuva::Answer>(decision)) decided.push_back(decision);
  }
}

// RES-004: one Evict takes all of the count away.
class ReleasesAtOnce final : public DecisionSeat {
  std::vector<gpuva::ResidencyDecision> residency(gpuva::Residency& residency,
                                                  const gpuva::ResidencyInput& input) override {
    std::vector<gpuva::ResidencyDecision> decided = DecisionSeat::residency(residency, input);
    const auto* const evict = std::get_if<gpuva::Evict>(&input);
    while (evict != nullptr &&
           std::all_of(evict->allocations.begin(), evict->allocations.end(),
                       [&](AllocationId id) { return residency.count(evict->device, id) != 0; })) {
      ask_too(residency, input, decided);
    }
    return decided;
  }
};

// RES-005: a request that fails counts for the first of its list.
class CountsWhatFailed final : public DecisionSeat {
  std::vector<gpuva::ResidencyDecision> residency(gpuva::Residency& residency,
                                                  const gpuva::ResidencyInput& input) override {
    std::vector<gpuva::ResidencyDecision> decided = DecisionSeat::residency(residency, input);
    const auto* const make = std::get_if<gpuva::MakeResident>(&input);
    if (make == nullptr || decided.empty()) return decided;
    const auto* const answer = std::get_if<gpuva::Answer>(&decided.front());
    if (answer == nullptr || answer->status != gpuva::ResidencyStatus::OutOfMemory) return decided;
    ask_too(residency,
            gpuva::MakeResident{.device = make->device,
                                .allocations = make->allocations.first(1),
                                .cant_trim_further = true},
            decided);
    return decided;
  }
};

// RES-006
class WaitsForNothing final : public DecisionSeat {
  bool waits_for_nothing() override { return true; }
};
// RES-007
class MustSucceedAtOnce final : public DecisionSeat {
  bool must_succeed_at_once() override { return true; }
};
// RES-008
class UsesWhatWasEvicted final : public DecisionSeat {
  bool uses_what_was_evicted() override { return true; }
};
// RES-009
class ClaimsNotWritten final : public DecisionSeat {
  bool claims_not_written() override { return true; }
};
// RES-010
class TrimsWhatIsInUse final : public DecisionSeat {
  bool trims_what_is_in_use() override { return true; }
};

constexpr FaultSeat kResidencySeats[] = {
    {OracleFault::EvictWhileInUse, make_seat<EvictsAtOnce>},
    {OracleFault::OneEvictReleases, make_seat<ReleasesAtOnce>},
    {OracleFault::FailedRequestCounts, make_seat<CountsWhatFailed>},
    {OracleFault::UseWithoutWaiting, make_seat<WaitsForNothing>},
    {OracleFault::MustSucceedAtOnce, make_seat<MustSucceedAtOnce>},
    {OracleFault::UseAfterEvict, make_seat<UsesWhatWasEvicted>},
    {OracleFault::ClaimNotWritten, make_seat<ClaimsNotWritten>},
    {OracleFault::BringInWhatIsNotRequired, make_seat<BringsInWhatIsNotRequired>},
    {OracleFault::TrimWhatIsInUse, make_seat<TrimsWhatIsInUse>},
};

}  // namespace

std::unique_ptr<DecisionSeat> residency_fault(OracleFault fault) {
  return seat_among(kResidencySeats, fault);
}

}  // namespace wddm::host
