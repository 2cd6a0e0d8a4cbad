// What CreateAllocation is to write of an allocation, with a pattern in it (prefilled_answer.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "conformance/host/adapter/prefilled_answer.h"

namespace wddm::host {

class PrefilledAllocation {
 public:
  // Between the two parts are bytes of no member.
  PrefilledAllocation(DXGK_ALLOCATIONINFO& info, bool on)
      : upper_(WDDM_ANSWER(DXGK_ALLOCATIONINFO, info, Alignment, Flags), on),
        lower_(WDDM_ANSWER(DXGK_ALLOCATIONINFO, info, pAllocationUsageHint, AllocationPriority),
               on) {}

  /// The driver has answered, of this allocation; of a call that failed there is no answer.
  void read_if(bool succeeded, std::uint32_t allocation) {
    upper_.read_if(succeeded, DdiId::CreateAllocation, allocation,
                   offsetof(DXGK_ALLOCATIONINFO, Alignment));
    lower_.read_if(succeeded, DdiId::CreateAllocation, allocation,
                   offsetof(DXGK_ALLOCATIONINFO, pAllocationUsageHint));
  }

 private:
  PrefilledAnswer upper_, lower_;
};

}  // namespace wddm::host
