// Slots that are left bound where a DMA buffer is cut.
#include "fuzz/targets/target.h"

WDDM_FUZZ_TARGET(wddm::fuzz::Family::BindingLeaks)
