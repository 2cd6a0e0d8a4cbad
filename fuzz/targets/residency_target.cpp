// Allocations that come, move and go.
#include "fuzz/targets/target.h"

WDDM_FUZZ_TARGET(wddm::fuzz::Family::Residency)
