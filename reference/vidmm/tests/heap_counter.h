// Counts calls of operator new in the whole test program, for tests that allow none.
#pragma once

#include <cstdint>

namespace wddm::vidmm::testing {

/// Heap allocations since the program started.
std::uint64_t heap_allocations();

}  // namespace wddm::vidmm::testing
