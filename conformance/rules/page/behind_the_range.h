// Whether a difference begins behind what a virtual paging operation was to write.
//
// How far a Fill or Transfer writes is of the operation alone (VPAGE-001, VPAGE-002). It says
// nothing of how its addresses were translated, which decides where it begins.
#pragma once

#include <bit>

#include "conformance/rules/page/operation.h"

namespace wddm::page {

/// Told by the byte in its page, which translation leaves as it is. Unknown, and so false, of a
/// range that has every byte of a page.
inline bool begins_behind_the_range(const CheckedOperation& operation,
                                    const ev::MemoryDiffers& differs) {
  constexpr std::uint64_t kPage = 4096;
  const PagingArguments& range = operation.arguments;
  if (range.size == 0 || range.size >= kPage) return false;
  // Memory is compared by words.
  const std::uint32_t unlike = differs.expected ^ differs.seen;
  const std::uint64_t first =
      differs.offset + (unlike != 0 ? static_cast<std::uint32_t>(std::countr_zero(unlike)) / 8 : 0);
  const std::uint64_t begin = range.destination_address;
  const std::uint64_t from_begin = (first - begin) % kPage;
  if (from_begin < range.size) return false;
  return from_begin - range.size < (begin - first) % kPage;
}

}  // namespace wddm::page
