// The invariants of the slot table; everything else is inline.
#include "reference/vidmm/slot_table.h"

#include "reference/harness_assert.h"

namespace wddm::vidmm {

void SlotTable::validate() const {
  std::vector<std::uint32_t> counted(names_.size(), 0);
  std::uint32_t bound = 0;
  for_each_bound([&](SlotId, AllocationId allocation) {
    HARNESS_ASSERT(allocation.value < counted.size());
    ++counted[allocation.value];
    ++bound;
  });
  HARNESS_ASSERT(bound == bound_);
  for (std::uint32_t id = 0; id < counted.size(); ++id) {
    HARNESS_ASSERT(counted[id] == names_[id]);
  }
}

}  // namespace wddm::vidmm
