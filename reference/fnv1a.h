// FNV-1a: digests that tell contents apart, the same on every machine, and that nobody must trust.
#pragma once

#include <cstdint>
#include <span>

namespace wddm {

inline constexpr std::uint64_t kFnv1aStart = 0xcbf29ce484222325;
inline constexpr std::uint64_t kFnv1aPrime = 0x100000001b3;

/// Of those bytes, going on from the digest of what came before them.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::span<const std::uint8_t> bytes,
                                            std::uint64_t digest = kFnv1aStart) {
  for (const std::uint8_t byte : bytes) digest = (digest ^ byte) * kFnv1aPrime;
  return digest;
}

}  // namespace wddm
