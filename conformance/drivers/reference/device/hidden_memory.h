// Memory that the CPU sees through a window: each page of it shows the page that a register names.
//
// Models hw.h, HW_HOST_APERTURE_BAR. Engines reach this memory at HW_HIDDEN_BASE.
#pragma once

#include <array>
#include <cstdint>

#include "conformance/drivers/reference/device/hw.h"

namespace wddm::reference_device {

class HiddenMemory {
 public:
  HiddenMemory() { pages_.fill(HW_HIDDEN_PAGES); }

  [[nodiscard]] std::uint32_t page(std::uint32_t window_page) const { return pages_[window_page]; }
  void show(std::uint32_t window_page, std::uint32_t page) { pages_[window_page] = page; }

  /// All of it, in the order of its pages.
  [[nodiscard]] std::uint8_t* data() { return bytes_.data(); }
  [[nodiscard]] const std::uint8_t* data() const { return bytes_.data(); }

  [[nodiscard]] std::uint64_t read(std::uint64_t offset, std::uint32_t bytes) const {
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < bytes; ++i) {
      const std::uint64_t at = place(offset + i);
      value |= std::uint64_t{at < bytes_.size() ? bytes_[at] : std::uint8_t{0xff}} << i * 8;
    }
    return value;
  }
  void write(std::uint64_t offset, std::uint32_t bytes, std::uint64_t value) {
    for (std::uint32_t i = 0; i < bytes; ++i) {
      const std::uint64_t at = place(offset + i);
      if (at < bytes_.size()) bytes_[at] = static_cast<std::uint8_t>(value >> i * 8);
    }
  }

 private:
  static constexpr std::uint64_t kNowhere = ~0ull;

  [[nodiscard]] std::uint64_t place(std::uint64_t offset) const {
    const std::uint64_t window_page = offset / HW_PAGE_SIZE;
    if (window_page >= pages_.size() || pages_[window_page] >= HW_HIDDEN_PAGES) return kNowhere;
    return std::uint64_t{pages_[window_page]} * HW_PAGE_SIZE + offset % HW_PAGE_SIZE;
  }

  std::array<std::uint32_t, HW_HOST_APERTURE_PAGES> pages_;
  std::array<std::uint8_t, HW_HIDDEN_PAGES * HW_PAGE_SIZE> bytes_{};
};

}  // namespace wddm::reference_device
