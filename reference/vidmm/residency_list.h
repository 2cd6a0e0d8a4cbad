// The residency requirement list of one device (WDDM 2.x): MakeResident and Evict.
//
// Source: windows-driver-docs "Residency overview", "Access to non-resident allocation",
// "Process residency budgets"; pfnMakeResidentCb and pfnEvictCb (wdk-ddi-src d3dumddi); clauses
// RES-001, RES-003, RES-004, RES-005.
// Leaves out: paging fences and E_PENDING (the host runs the steps), budgets, TrimResidencySet,
// NotWrittenTo (the model keeps no backing store that a discard could fall back on).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/types.h"
#include "reference/vidmm/paging_step.h"
#include "reference/vidmm/patch_list.h"
#include "reference/vidmm/vidmm.h"

namespace wddm::vidmm {

/// What MakeResident came to. Not `made`: E_OUTOFMEMORY, and nothing changed.
struct MakeResidentResult {
  bool made = false;
  std::uint64_t bytes_to_trim = 0;  ///< NumBytesToTrim: what the request lacks, above 0 on failure
  friend bool operator==(const MakeResidentResult&, const MakeResidentResult&) = default;
};

/// Counts per allocation. What has a count is resident and stays where it is.
class ResidencyList {
 public:
  /// Raises the count of each listed allocation by one, as often as it is listed, and brings those
  /// in that had none, in list order. All or nothing.
  [[nodiscard]] MakeResidentResult make_resident(VidMm& vidmm,
                                                 std::span<const AllocationId> allocations,
                                                 PagingSteps& steps);

  /// Lowers the count; at zero the allocation leaves the list and may be paged out. False: it was
  /// not on the list.
  [[nodiscard]] bool evict(VidMm& vidmm, AllocationId allocation);

  [[nodiscard]] std::uint32_t count(AllocationId allocation) const {
    return allocation.value < counts_.size() ? counts_[allocation.value] : 0;
  }

  /// The first entry of a submission's allocation list that is not on the residency requirement
  /// list; such a submission is rejected and the device is in error. entries.size() if there is
  /// none. NULL entries need nothing.
  [[nodiscard]] std::size_t first_not_required(std::span<const AllocationEntry> entries) const;

 private:
  std::vector<std::uint32_t> counts_;  // by allocation id
  std::vector<AllocationId> added_;    // scratch
};

}  // namespace wddm::vidmm
