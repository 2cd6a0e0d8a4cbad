// A trace in which packets show something of the address spaces that they run in.
#pragma once

#include "conformance/rules/tests/trace_test.h"

namespace wddm {

/// Roots of two levels: entries of the root cover 2 MB.
class SpaceTest : public TraceTest {
 protected:
  static constexpr std::uint32_t kRoot = 1, kLeaf = 0;  // levels

  SpaceTest() {
    platform_.page_table_levels = 2;
    add(ev::PageTableLevelReported{.level = 0, .index_bits = 9});
  }
  void root(std::uint32_t context, std::uint32_t process, std::uint64_t place,
            std::uint32_t entries = 512) {
    add(ev::RootSet{.place = place, .context = context, .process = process, .entries = entries});
  }
  /// Fences of packets are their numbers.
  void submitted(std::uint32_t packet, std::uint32_t context = 1) {
    add(ev::Submitted{.packet = packet, .render = packet, .fence = packet, .context = context});
  }
  void paging(std::uint32_t packet) {
    add(ev::Submitted{.packet = packet, .fence = packet, .context = kNone, .paging = 1});
  }
  void right(std::uint32_t packet) { add(ev::MemoryChecked{.object = packet}); }
  void differs(std::uint32_t packet) { add(ev::MemoryDiffers{.cause_object = packet}); }
  void astray(std::uint32_t packet, AstrayWalk why, std::uint32_t level = kRoot,
              std::uint64_t address = 0) {
    add(ev::WalkAstray{.address = address,
                       .fence = packet,
                       .level = level,
                       .why = static_cast<std::uint32_t>(why)});
  }
  /// Of an address that is mapped, as no page table was written.
  void faulted(std::uint32_t packet, std::uint64_t address, std::uint32_t level = kRoot) {
    add(ev::AccessFaulted{.address = address, .fence = packet, .level = level, .packet = packet});
    add(ev::MarkerRead{.packet = packet, .expected = 1});
  }
};

}  // namespace wddm
