// What a TransferVirtual says of the pages that map its ranges.
#pragma once

#include <cstdint>

#include "conformance/rules/rule.h"

namespace wddm::pgsz {

inline constexpr std::uint64_t kPage = 4096, kLargePage = 65536;

// DXGK_TRANSFERVIRTUALFLAGS
inline constexpr std::uint32_t kSrc64KBPages = 1, kDst64KBPages = 2;

/// The driver has leaf tables of 64 KB pages, and memory that is managed in such.
[[nodiscard]] inline NotApplicable transfers_in_64kb_pages(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  if (platform.leaf_64kb_bytes == 0) {
    return "no leaf tables of 64 KB pages: LeafPageTableSizeFor64KPagesInBytes is 0";
  }
  for (const PlatformSegment& segment : platform.segments) {
    if (segment.flags.use_64kb_pages()) return nullptr;
  }
  return "no segment has 64 KB pages";
}

inline constexpr const char* kMovedInLargePages = R"(
about: contents that differ from page to page come, move on, go and come back in pages of 64 KB
ops:
- create_allocation: {allocation: 1, pages: 48, place: local}
- create_allocation: {allocation: 2, pages: 32, place: local}
- cpu_write: {allocation: 1, offset: 0, value: 0x01010101}
- cpu_write: {allocation: 1, offset: 4096, value: 0x02020202}
- cpu_write: {allocation: 1, offset: 65536, value: 0x03030303}
- cpu_write: {allocation: 1, offset: 196604, value: 0x04040404}
- make_resident: {allocation: 1}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
# From place to place in memory: pages of 64 KB on both sides, on either, and on neither.
- move: {allocation: 1, direct: true}
- make_resident: {allocation: 2}
- transfer_bytes: {allocation: 2, source: 1, offset: 65536, source_offset: 0, size: 65536}
- transfer_bytes: {allocation: 2, source: 1, offset: 4096, source_offset: 131072, size: 65536}
- transfer_bytes: {allocation: 1, source: 2, offset: 65536, source_offset: 8192, size: 65536}
- transfer_bytes: {allocation: 1, source: 2, offset: 4096, source_offset: 61440, size: 8192}
- idle
)";

inline constexpr const char* kMovedInSmallPages = R"(
about: the same in parts that are no whole pages of 64 KB
ops:
- transfer_chunk: {pages: 5}
- create_allocation: {allocation: 1, pages: 48, place: local}
- cpu_write: {allocation: 1, offset: 4096, value: 0x02020202}
- make_resident: {allocation: 1}
- evict: {allocation: 1}
- idle
)";

}  // namespace wddm::pgsz
