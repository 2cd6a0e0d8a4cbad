// Pool allocations and callbacks that fail at their k-th call.
#include "fuzz/targets/target.h"

WDDM_FUZZ_TARGET(wddm::fuzz::Family::Failures)
