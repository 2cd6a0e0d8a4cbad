// libFuzzer reads and clears this section by itself, and the counters of an instrumented driver.
#include "fuzz/targets/fuzz_engine.h"

namespace wddm::fuzz {
namespace {
__attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t counters[kFeatures];
}  // namespace

std::span<std::uint8_t, kFeatures> engine_counters() {
  return counters;
}

void input_ended() {}

}  // namespace wddm::fuzz
