// GPU virtual addresses that come and go, in several processes and far apart.
#include "fuzz/targets/target.h"

WDDM_FUZZ_TARGET(wddm::fuzz::Family::AddressSpaces)
