// See residency_list.h.
#include "reference/vidmm/residency_list.h"

#include "reference/harness_assert.h"

namespace wddm::vidmm {

MakeResidentResult ResidencyList::make_resident(VidMm& vidmm,
                                                std::span<const AllocationId> allocations,
                                                PagingSteps& steps) {
  const std::size_t steps_before = steps.size();
  if (counts_.size() < vidmm.allocation_limit()) counts_.resize(vidmm.allocation_limit(), 0);
  added_.clear();
  for (const AllocationId allocation : allocations) {
    HARNESS_ASSERT(vidmm.exists(allocation));
    if (counts_[allocation.value]++ == 0) added_.push_back(allocation);
  }

  const std::size_t began = vidmm.begin();
  // Residents are pinned first, so that none of the list makes room for another.
  for (const AllocationId allocation : added_) {
    if (vidmm.allocation(allocation).resident()) vidmm.pin(allocation);
  }
  std::uint64_t missing_pages = 0;
  for (const AllocationId allocation : added_) {
    if (vidmm.allocation(allocation).resident()) continue;
    if (missing_pages != 0 || !vidmm.page_in(allocation, steps)) {
      missing_pages += vidmm.allocation(allocation).pages;
      continue;
    }
    vidmm.pin(allocation);
  }
  if (missing_pages == 0) {
    vidmm.commit();
    return {true, 0};
  }
  vidmm.rollback(began);
  steps.resize(steps_before);
  for (const AllocationId allocation : allocations) --counts_[allocation.value];
  return {false, missing_pages * kPageSize};
}

bool ResidencyList::evict(VidMm& vidmm, AllocationId allocation) {
  if (count(allocation) == 0) return false;
  if (--counts_[allocation.value] == 0) vidmm.unpin(allocation);
  return true;
}

std::size_t ResidencyList::first_not_required(std::span<const AllocationEntry> entries) const {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const AllocationId allocation = entries[i].allocation;
    if (allocation != kNoAllocation && count(allocation) == 0) return i;
  }
  return entries.size();
}

}  // namespace wddm::vidmm
