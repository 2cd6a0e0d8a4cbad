// All kinds of scenarios together: what continuous fuzzing runs.
#include "fuzz/targets/target.h"

WDDM_FUZZ_TARGET(wddm::fuzz::Family::Everything)
