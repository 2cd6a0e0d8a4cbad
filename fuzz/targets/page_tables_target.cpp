// Page tables that grow, shrink, move and leave under work.
#include "fuzz/targets/target.h"

WDDM_FUZZ_TARGET(wddm::fuzz::Family::PageTables)
