#include "reference/digest.h"

// Compiled in: nothing to load, and the width of its vectors is chosen here and not by the CPU.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace wddm {

std::uint64_t digest(std::span<const std::uint8_t> bytes, std::uint64_t before) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), before);
}

}  // namespace wddm
