// Split DMA buffers with paging and other contexts between their portions.
#include "fuzz/targets/target.h"

WDDM_FUZZ_TARGET(wddm::fuzz::Family::Splits)
