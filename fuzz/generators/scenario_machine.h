#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/trace/op.h"

namespace wddm::fuzz {

/// The machine that scenarios are made for. Every scenario runs on any driver; one that is made
/// for its limits reaches more. Defaults are those of the reference driver.
struct Machine {
  std::uint32_t nodes = 2;   ///< 1..64
  std::uint32_t slots = 16;  ///< SlotIds, 2 at least; the marker of each packet takes the last one
  std::uint32_t local_pages = 256;
  std::uint32_t aperture_pages = 256;
  std::uint32_t gpu_virtual = 0;  ///< 1: commands name memory by GPU virtual address
  std::uint32_t linked = 1;       ///< GPUs of the link, 1..64
  std::uint32_t displays = 0;     ///< 1: there are video present sources, and so primaries
  std::uint32_t testing = 0;      ///< 1: kernel-mode testing (WDDM 3.2)
  std::uint32_t settings = 1;     ///< 1: the driver obeys the settings that `configure` can name

  friend bool operator==(const Machine&, const Machine&) = default;
};

/// What a setting of the built-in driver makes of it.
void apply_setting(const Op& configure, Machine& machine);

/// "nodes=2 slots=16 local_pages=256 aperture_pages=256 gpu_virtual=0 linked=1 displays=0
/// testing=0 settings=1"
[[nodiscard]] std::string print_machine(const Machine& machine);
/// What the text does not name keeps its default; what is out of range is brought into it.
[[nodiscard]] Machine read_machine(std::string_view text);

}  // namespace wddm::fuzz
