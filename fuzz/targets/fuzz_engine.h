// The engine under a target, as far as it must be told something. One implementation is linked for
// each: engine_libfuzzer.cpp, engine_afl.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "fuzz/session/features.h"

namespace wddm::fuzz {

/// Counters that the engine takes as coverage. They are 0 before each input.
[[nodiscard]] std::span<std::uint8_t, kFeatures> engine_counters();

/// The input is over: hands on what an engine does not read by itself.
void input_ended();

}  // namespace wddm::fuzz
