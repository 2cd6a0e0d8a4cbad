// The portion behind the last command. A split point may lie at the end of a DMA buffer (elements
// that release slots do), and when it is taken the portion that starts there has elements and
// paging, but nothing that could be submitted.
#pragma once

#include "reference/vidmm/split_planner.h"

namespace wddm::vidmm {

/// Gives the elements of an empty last portion to the one before it and returns its paging, which
/// is due once the buffer has ended. A buffer without commands keeps its only portion.
[[nodiscard]] PagingSteps take_off_empty_end(Plan& plan);

}  // namespace wddm::vidmm
