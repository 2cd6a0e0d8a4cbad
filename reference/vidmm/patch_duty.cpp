// See patch_duty.h.
#include "reference/vidmm/patch_duty.h"

#include "reference/harness_assert.h"

namespace wddm::vidmm {

EntryAddress current_address(const VidMm& vidmm, AllocationId allocation) {
  if (allocation == kNoAllocation || !vidmm.allocation(allocation).resident()) return {};
  return {vidmm.allocation(allocation).segment, vidmm.gpu_address(allocation)};
}

EntryAddress prepatch_address(const VidMm& vidmm, AllocationId allocation, PrepatchChoice choice) {
  return choice == PrepatchChoice::Never ? EntryAddress{} : current_address(vidmm, allocation);
}

Outcome patch_duty(const VidMm& vidmm, const PatchList& list, const Portion& portion,
                   std::span<const EntryAddress> told) {
  HARNESS_ASSERT(told.size() == list.allocations.size());
  for (std::uint32_t i = 0; i < portion.element_count; ++i) {
    const std::uint32_t entry = list.elements[portion.first_element + i].allocation_index;
    const AllocationId allocation = list.allocations[entry].allocation;
    if (allocation == kNoAllocation) continue;
    if (told[entry].segment == kNoSegment || told[entry] != current_address(vidmm, allocation)) {
      return {Duty::Required, 1};
    }
  }
  return {Duty::Allowed, 2};
}

}  // namespace wddm::vidmm
