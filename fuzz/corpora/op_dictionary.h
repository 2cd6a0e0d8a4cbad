// A dictionary for engines that change bytes and know nothing of ops.
#pragma once

#include <string>

namespace wddm::fuzz {

/// Each kind of op as one word, as libFuzzer (-dict) and AFL++ (-x) read it: all 16 bytes with the
/// defaults of op.def, so that a word that is put between ops leaves those behind it in place.
[[nodiscard]] std::string op_dictionary();

}  // namespace wddm::fuzz
