// Addresses given to the driver before Patch, and whether Patch must be called.
//
// Source: DXGK_ALLOCATIONLIST (SegmentId 0: not paged in), DXGKDDI_RENDER and DXGKDDI_PATCH remarks
// (wdk-ddi-src d3dkmddi); clauses RENDER-006, RENDER-007, PATCH-003; verifier modes AlwaysRepatch
// and NeverPrepatch. If an address given at Render time no longer holds, the portion is patched
// before it is submitted; otherwise that may be skipped.
#pragma once

#include <cstdint>
#include <span>

#include "reference/types.h"
#include "reference/vidmm/outcome.h"
#include "reference/vidmm/patch_list.h"
#include "reference/vidmm/split_planner.h"
#include "reference/vidmm/vidmm.h"

namespace wddm::vidmm {

/// SegmentId and PhysicalAddress of one allocation-list entry; kNoSegment: nothing is known.
struct EntryAddress {
  SegmentId segment = kNoSegment;
  std::uint64_t physical_address = 0;
  friend bool operator==(const EntryAddress&, const EntryAddress&) = default;
};

enum class PrepatchChoice : std::uint8_t {
  WhenKnown,
  Never,  ///< Render sees SegmentId 0 everywhere
};

/// Where an allocation is now, as an allocation-list entry says it. NULL entries have no address.
[[nodiscard]] EntryAddress current_address(const VidMm& vidmm, AllocationId allocation);

/// What Render is told about an allocation.
[[nodiscard]] EntryAddress prepatch_address(const VidMm& vidmm, AllocationId allocation,
                                            PrepatchChoice choice);

/// Whether a planned portion must be patched before submission, given what was told for each
/// allocation-list entry at Render or at the last Patch of this portion. Required: yes. Allowed,
/// two alternatives: 0 submit as it is, 1 patch again.
[[nodiscard]] Outcome patch_duty(const VidMm& vidmm, const PatchList& list, const Portion& portion,
                                 std::span<const EntryAddress> told);

}  // namespace wddm::vidmm
