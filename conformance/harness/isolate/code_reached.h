// Which blocks of an instrumented driver all runs together have entered.
//
// A driver built with FUZZ counts in memory of its own and tells where its counters lie when it is
// loaded. A process of runs adds what it counted to memory that all processes share, at the end of
// each run, at a crash and at its deadline; a bug check or a hang that ends the process loses what
// that run alone reached. Drivers without counters cost nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wddm::harness {

// What -fsanitize-coverage=inline-8bit-counters,pc-table calls for each image, as it is loaded.
void note_code_counters(std::uint8_t* first, std::uint8_t* last);
/// Pairs of an address and its flags, one for each counter of the image noted last.
void note_code_places(const std::uintptr_t* first, const std::uintptr_t* last);

/// From here on processes that are forked share what they reach with this one.
void share_code_reached();
/// Adds what was counted here. Async-signal-safe.
void gather_code_reached();

struct FunctionReached {
  std::string function;
  std::string line;  ///< "Patch.cpp:120", empty without debug information
  std::uint32_t blocks = 0;
  std::uint32_t reached = 0;  ///< 0: it was never entered
};
/// The driver's functions in the order of its image; empty if it has no counters.
[[nodiscard]] std::vector<FunctionReached> code_reached();

}  // namespace wddm::harness
