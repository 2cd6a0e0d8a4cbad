// What an engine costs by itself: a target that does nothing but be covered, without which engines
// refuse to run.
#include <cstddef>
#include <cstdint>

#include "fuzz/targets/engine.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) {
  wddm::fuzz::engine_counters()[0] = 1;
  wddm::fuzz::input_ended();
  return 0;
}
