// Digests that tell contents apart, the same on every machine, and that nobody must trust: XXH3.
#pragma once

#include <cstdint>
#include <span>

namespace wddm {

/// Of those bytes; `before` is the digest of what came before them, if they are a part of a whole.
[[nodiscard]] std::uint64_t digest(std::span<const std::uint8_t> bytes, std::uint64_t before = 0);

}  // namespace wddm
