// Drops as many of a row of items as it can, in few tries when few items matter.
//
// From the back, so that what uses an item goes before the item itself. Chunks begin with
// everything, halve when they cannot be dropped, and start at the mean gap so far behind an item
// that has to stay: k items that matter among n cost about k * log2(n / k) tries, and n tries when
// all matter. What it finds is not yet minimal where dropping one item makes another droppable;
// sweep again until nothing changes.
#pragma once

#include <algorithm>
#include <cstddef>

namespace wddm::fuzz {

/// `drop(from, to)` says whether the items [from, to) could be dropped; then they are gone, and
/// items below `from` are as they were.
template <class Drop>
void sweep_backwards(std::size_t count, Drop drop) {
  std::size_t end = count, dropped = 0, kept = 0;
  std::size_t size = count;  // of the next chunk while nothing is known
  std::size_t stuck = 0;     // the last so many items are known not to go together; 0: unknown
  while (end > 0) {
    if (stuck == 1) {
      --end;
      size = std::max<std::size_t>(1, dropped / ++kept);
      stuck = 0;
      continue;
    }
    const std::size_t chunk = stuck != 0 ? stuck / 2 : std::min(size, end);
    if (!drop(end - chunk, end)) {
      stuck = chunk;
      continue;
    }
    end -= chunk;
    dropped += chunk;
    size = chunk * 2;
    if (stuck != 0) stuck -= chunk;
  }
}

}  // namespace wddm::fuzz
