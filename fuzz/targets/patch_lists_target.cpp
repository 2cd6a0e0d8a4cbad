// Patch-location lists: order, equal SplitOffsets, slot reuse, many allocations, little memory.
#include "fuzz/targets/target.h"

WDDM_FUZZ_TARGET(wddm::fuzz::Family::PatchLists)
