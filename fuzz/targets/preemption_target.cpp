// Preemption at any point, idle and busy, back to back, with completions racing.
#include "fuzz/targets/target.h"

WDDM_FUZZ_TARGET(wddm::fuzz::Family::Preemption)
