// Decisions the documents leave to Windows, as inputs.
//
// Where VidMm may do this or that, the oracle names the legal set and the caller picks; a missing
// pick means the default, which is the first of the set. Several correspond to the VidMm verifier
// modes (D3DKMT_ADAPTER_VERIFIER_VIDMM_FLAGS): TakeSplitPoint, AlwaysRepatch, NeverPrepatch,
// NeverDeferEvictions. How waiting for an eviction is done belongs to the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace wddm::vidmm {

/// Picks for a run of like decisions, used up in order.
struct Picks {
  std::span<const std::uint32_t> values{};
  std::size_t used = 0;

  /// The next pick among `alternatives` (>= 1). A value counts modulo the size of the set, so any
  /// value is legal.
  std::uint32_t next(std::uint32_t alternatives) {
    return used < values.size() ? values[used++] % alternatives : 0;
  }
};

/// Which split points are taken although memory does not demand it.
enum class SplitChoice : std::uint8_t {
  WhenNeeded,
  Every,   ///< each distinct SplitOffset
  Listed,  ///< those of Choices::split_offsets
};

/// Whether allocations that a split point reprograms are moved.
enum class MoveChoice : std::uint8_t {
  WhenNeeded,
  Always,  ///< whenever another place is free for them
};

/// When allocations that nothing needs any more are evicted.
enum class EvictChoice : std::uint8_t {
  WhenNeeded,
  AtRelease,  ///< before the next portion is prepared
};

struct Choices {
  SplitChoice split = SplitChoice::WhenNeeded;
  std::span<const std::uint32_t> split_offsets{};  ///< ascending; others than emitted are ignored
  MoveChoice move = MoveChoice::WhenNeeded;
  EvictChoice evict = EvictChoice::WhenNeeded;
  /// One per eviction that makes room: position in the legal victims, least recently used first.
  std::span<const std::uint32_t> victims{};
};

}  // namespace wddm::vidmm
