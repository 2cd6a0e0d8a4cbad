// Why VidMm refuses something, for the event of a skipped op.
#pragma once

#include <string>

#include "reference/vidmm/allocation.h"
#include "reference/vidmm/segment.h"
#include "reference/vidmm/step.h"

namespace wddm::host {

inline constexpr const char* kUnknownAllocation = "VidMm does not know the allocation";
/// In place of the text of CannotFit, where the list leaves VidMm no choice.
inline constexpr const char* kCannotBeSplit =
    "the buffer cannot be run: every SplitOffset is 0, so that it cannot be split, and there is no "
    "room for all that it uses at once";
inline constexpr const char* kNoAddresses = "the driver has no GPU virtual addresses";

[[nodiscard]] const char* text_of(vidmm::Refusal refusal);
[[nodiscard]] const char* text_of(vidmm::AllocationRefusal refusal);
/// "segment 2 overlaps an earlier one"
[[nodiscard]] std::string text_of(vidmm::SegmentRefusal refusal, SegmentId segment);

}  // namespace wddm::host
