// Where the pages of a Swizzled allocation stand in video memory.
//
// A tile is a page. An allocation has two levels, its first half and the rest; in video memory the
// tiles of each stand in reverse order.
#pragma once

#include "../kmd_driver.h"

namespace reference_kmd {

/// The tile that holds a page, of so many.
inline SIZE_T tile_of(SIZE_T page, SIZE_T pages) {
  const SIZE_T first_level = (pages + 1) / 2;
  return page < first_level ? first_level - 1 - page : first_level + (pages - 1 - page);
}

}  // namespace reference_kmd
