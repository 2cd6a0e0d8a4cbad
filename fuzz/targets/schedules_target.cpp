// Threads of driver and host that run in other orders.
#include "fuzz/targets/target.h"

WDDM_FUZZ_TARGET(wddm::fuzz::Family::Schedules)
