// Few runs that come to what many do: a greedy set cover by what each adds for what it costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fuzz/distill/candidate.h"

namespace wddm::fuzz {

struct Kept {
  std::size_t index = 0;             ///< into what was played
  std::vector<std::uint32_t> added;  ///< features that none before it has
};

/// Those of `always` first, and then in the order in which they were chosen, best first, until
/// nothing is new or those of one addressing have more events than `most_events`. What is wrong is
/// never kept.
[[nodiscard]] std::vector<Kept> cover(std::span<const Played> played, std::uint64_t most_events,
                                      std::span<const std::size_t> always = {});

}  // namespace wddm::fuzz
