// What a range of addresses is to become: nothing, zeros, pages, or just the tables for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/gpummu/table_input.h"

namespace wddm::gpummu {

enum class To : std::uint8_t { Invalid, Zero, Pages, Kept };

class WantedRange {
 public:
  WantedRange() = default;
  explicit WantedRange(const Unmap& input) : to(To::Invalid), adapters(input.adapters) {}
  explicit WantedRange(const MapZero& input) : to(To::Zero), adapters(input.adapters) {}
  explicit WantedRange(const Map& input)
      : to(To::Pages), adapters(input.adapters), map(input), run_start_(input.range.first.value) {}
  explicit WantedRange(const KeepTables& input)
      : to(To::Kept),
        adapters(kAllAdapters),
        lowest(input.lowest),
        keeps_64kb(input.page_size == PageTablePageSize::Page64K) {}

  To to = To::Invalid;
  AdapterSet adapters = 0;
  Map map{};                 ///< of To::Pages
  std::uint32_t lowest = 0;  ///< of To::Kept
  bool keeps_64kb = false;   ///< ... leaves of 64 KB pages

  [[nodiscard]] bool chosen(std::uint32_t gpu) const { return (adapters >> gpu & 1) != 0; }
  /// Of To::Pages: the page at an address, and how many bytes follow one another from there on.
  [[nodiscard]] PhysicalAddress page_at(std::uint64_t va);
  [[nodiscard]] std::uint64_t contiguous_at(std::uint64_t va);

 private:
  void seek(std::uint64_t va);

  std::size_t run_ = 0;          // seek() was there last
  std::uint64_t run_start_ = 0;  // its address
};

}  // namespace wddm::gpummu
