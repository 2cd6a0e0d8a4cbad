// Physical memory as the Egret's engines reach it: local memory behind the CPU's window, the
// aperture, and system memory.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <vector>

#include "conformance/drivers/egret/device/egret_hw.h"
#include "conformance/sdk/device.h"

namespace egret {

using Log = std::deque<WddmDeviceEvent>;

/// Whose access it is.
struct Accessor {
  std::uint32_t node = 0;
  const eg_job& job;
};

/// A record of the log; what is not said of it is 0.
inline WddmDeviceEvent record_of(std::uint32_t kind, const Accessor& by, std::uint64_t address,
                                 std::uint32_t length) {
  WddmDeviceEvent record{};
  record.size = sizeof(record);
  record.kind = kind;
  record.node = by.node;
  record.tag = by.job.fence;
  record.address = address;
  record.length = length;
  return record;
}

/// The window is memory that the CPU writes without the device seeing it. A page of local memory
/// that one part of the window shows lives there. Of one that several show, local memory has what
/// all agreed upon last: what differs from it was written since, and goes to all.
class Memory {
 public:
  Memory(const WddmDeviceHost& host, std::uint8_t* window, Log& log)
      : host_(host),
        window_(window),
        log_(log),
        local_(static_cast<std::uint8_t*>(std::calloc(1, EG_VRAM_SIZE))) {}

  /// At an address as engines take it, within one page of 4 KB. False where there is no memory:
  /// that is logged, and reads as 0.
  bool access(const Accessor& by, std::uint64_t address, void* buffer, std::uint32_t bytes,
              bool write);
  /// The same for any number of bytes.
  void access_all(const Accessor& by, std::uint64_t address, void* buffer, std::uint64_t bytes,
                  bool write);
  /// Local memory, for the host; false if not all of it is.
  bool peek(std::uint64_t address, void* buffer, std::uint32_t bytes);

  void set_window(std::uint32_t index, std::uint32_t value);
  void set_aperture(std::uint32_t index, std::uint64_t entry) {
    if (index < EG_GART_PAGES) aperture_[index] = entry;
  }
  /// Takes up what the CPU wrote to pages that more than one part of the window shows.
  void reconcile();
  void lose_power();

 private:
  static constexpr std::uint32_t kPages = EG_VRAM_SIZE / EG_WINDOW_PAGE;
  struct Release {
    void operator()(std::uint8_t* memory) const { std::free(memory); }
  };

  [[nodiscard]] std::uint8_t* window_page(std::uint32_t index) const {
    return window_ + std::size_t{index} * EG_WINDOW_PAGE;
  }
  [[nodiscard]] std::uint8_t* local_page(std::uint32_t page) const {
    return local_.get() + std::size_t{page} * EG_WINDOW_PAGE;
  }
  void reconcile(std::uint32_t page, std::uint32_t first, std::uint32_t bytes);
  void take_stock(std::uint32_t page);
  void count_several(std::uint32_t page);
  void access_local(std::uint64_t offset, void* buffer, std::uint32_t bytes, bool write);

  const WddmDeviceHost& host_;
  std::uint8_t* window_;
  Log& log_;
  // Of calloc, since most devices live shortly and touch little of it.
  std::unique_ptr<std::uint8_t, Release> local_;
  std::vector<std::uint32_t> shown_[kPages];  // by which parts of the window
  std::vector<std::uint32_t> several_;        // pages that more than one show
  std::uint32_t window_map_[EG_WINDOW_PAGES] = {};
  std::uint64_t aperture_[EG_GART_PAGES] = {};
};

}  // namespace egret
