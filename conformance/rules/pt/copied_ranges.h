// What one CopyPageTableEntries copies: ranges of entries, each from a table to another.
#pragma once

#include <cstdint>
#include <string>

#include "conformance/rules/rule.h"
#include "reference/trace/copied_entries.h"

namespace wddm::pt {

/// By the address that its first entry stands for. Of leaf tables of 4 KB pages.
struct CopiedTable {
  std::uint32_t process = 0;
  std::uint64_t start = 0;
  friend bool operator==(const CopiedTable&, const CopiedTable&) = default;
};
struct CopiedTables {
  CopiedTable source, destination;
  friend bool operator==(const CopiedTables&, const CopiedTables&) = default;
};
[[nodiscard]] inline CopiedTables tables_of(const ev::EntriesCopied& copied,
                                            const CopiedFrom& where) {
  constexpr std::uint64_t kPage = 4096;
  return {{where.source_process, where.source_va - copied.from_first * kPage},
          {copied.process, where.first_va - copied.to_first * kPage}};
}

/// What a verdict says of one range: what was asked for, up to whose the entries are, and what was
/// made of it.
[[nodiscard]] inline std::string asked_of(const ev::EntriesCopied& copied) {
  return "entries " + std::to_string(copied.to_first) + " to " +
         std::to_string(copied.to_first + copied.count - 1) + " as entries " +
         std::to_string(copied.from_first) + " and up";
}
[[nodiscard]] inline std::string seen_of(const ev::EntriesCopied& copied) {
  return std::to_string(copied.unlike) + " entries are others, and " +
         std::to_string(copied.outside) + " bytes beside them changed";
}

[[nodiscard]] inline NotApplicable copying(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return platform.update_mode == update_mode::kCpuVirtual
             ? "with CPU_VIRTUAL as the mode of updates entries are not copied"
             : nullptr;
}

/// ... and entries can be read.
[[nodiscard]] inline NotApplicable copying_and_decoder(const Platform& platform) {
  if (const NotApplicable reason = page_tables_and_decoder(platform)) return reason;
  return copying(platform);
}

/// ... and where they lie is known: by a decoder, or by the walks in the device's log.
[[nodiscard]] inline NotApplicable copying_seen(const Platform& platform) {
  return platform.has_device_log ? copying(platform) : copying_and_decoder(platform);
}

inline constexpr const char* kAcrossLeaves = R"(
about: tiles on both sides of the border of two leaf tables are mapped anew, by copies of entries, and copied across another border
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 16, place: local}
- create_allocation: {allocation: 2, pages: 16, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
# Page 512 begins a leaf table wherever one covers 2 MB or a smaller power of two.
- reserve_address: {device: 0, base: 0x2000000, size: 0x800000}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 504, from: 0, pages: 16}
- signal_fence: {context: 1, fence: 1}
- update_address: {allocation: 2, kind: map, to: 504, from: 0, pages: 16}
- update_address: {allocation: 1, kind: map, to: 1020, from: 0, pages: 16}
- update_address: {allocation: 2, kind: copy, to: 1020, from: 504, pages: 16}
- idle
)";

inline constexpr const char* kUsedAcrossLeaves = R"(
about: commands use tiles on both sides of the border of two leaf tables, which are mapped anew and move
ops:
# On a second engine, if there is one: paging is not what it forgets translations by.
- create_context: {context: 1, node: 1}
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 16, place: local}
- create_allocation: {allocation: 2, pages: 16, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- reserve_address: {device: 0, base: 0x2000000, size: 0x800000}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 504, from: 0, pages: 16}
- await_fence: {context: 1, fence: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 65536, value: 0x11111111}
- idle
- update_address: {allocation: 2, kind: map, to: 504, from: 0, pages: 16}
- await_fence: {context: 1, fence: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 65536, value: 0x22222222}
- idle
# What is flushed lies in both tables.
- move: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 28672, value: 1}
- add: {slot: 1, offset: 32768, value: 1}
- idle
)";

inline constexpr const char* kInsideALeaf = R"(
about: tiles of one leaf table are mapped anew, also to pages that repeat
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 8, place: local}
- create_allocation: {allocation: 2, pages: 8, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- reserve_address: {device: 0, base: 0x2000000, size: 0x400000}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 0, from: 0, pages: 8}
- signal_fence: {context: 1, fence: 1}
- update_address: {allocation: 2, kind: map, to: 0, from: 0, pages: 8}
# Pages that repeat: the ranges follow each other in the destination, and begin anew in the source.
- tile_updates: {context: 1, fence: 1, repeated_pages: 3}
- update_address: {allocation: 1, kind: map, to: 0, from: 0, pages: 9}
- update_address: {allocation: 2, kind: map, to: 9, from: 1, pages: 6}
- idle
)";

inline constexpr const char* kWithinALeaf = R"(
about: tiles are copied to other addresses of one leaf table, with zeros, empty entries and such with a protection of their own among them
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 8, place: local}
- make_resident: {allocation: 1}
# A leaf table has 32 entries or more.
- reserve_address: {device: 0, base: 0x2000000, size: 0x20000}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 0, from: 0, pages: 8}
- update_address: {allocation: 1, kind: copy, to: 16, from: 0, pages: 8}
- update_address: {allocation: 1, kind: copy, to: 2, from: 8, pages: 4}
- update_address: {allocation: 1, kind: zero, to: 8, pages: 2}
- update_address: {allocation: 1, kind: copy, to: 20, from: 8, pages: 4}
# What goes with an entry goes with its copy.
- tile_updates: {context: 1, fence: 1, driver_protection: 0x5}
- update_address: {allocation: 1, kind: map, to: 24, from: 4, pages: 2}
- update_address: {allocation: 1, kind: copy, to: 28, from: 24, pages: 2}
- tile_updates: {context: 1, fence: 1, protection: read_only}
- update_address: {allocation: 1, kind: map, to: 26, from: 0, pages: 2}
- update_address: {allocation: 1, kind: copy, to: 30, from: 26, pages: 2}
- idle
)";

}  // namespace wddm::pt
