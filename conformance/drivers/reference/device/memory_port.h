// How the engines reach memory: video memory, system memory by physical address, and system pages
// through the aperture.
//
// Of the video memory behind no BAR only pages that were written take room; the others hold zeros.
// Models hw.h, "GPU addresses". An access that any byte of can't be served fails as a whole for the
// part concerned: reads give zeros, writes are dropped, and the first bad address is reported.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "conformance/drivers/reference/device/hidden_memory.h"
#include "conformance/drivers/reference/device/hw.h"
#include "conformance/sdk/device.h"

namespace wddm::reference_device {

/// What an address is one of; MemoryPort serves the physical ones.
enum class Space : std::uint8_t {
  Gpu = HW_SPACE_GPU,
  System = HW_SPACE_SYSTEM,
  Virtual = HW_SPACE_VIRTUAL
};

class MemoryPort {
 public:
  /// `local`: HW_LOCAL_PAGES pages of video memory, owned by the host.
  MemoryPort(const WddmDeviceHost& host, std::uint8_t* local, HiddenMemory& hidden)
      : host_(host), local_(local), hidden_(hidden) {
    aperture_.fill(HW_APERTURE_INVALID);
  }

  /// False if some byte lies outside of any memory; `bad_address` then holds the first such one.
  [[nodiscard]] bool read(Space space, std::uint64_t address, void* buffer, std::uint32_t bytes,
                          std::uint64_t* bad_address);
  [[nodiscard]] bool write(Space space, std::uint64_t address, const void* buffer,
                           std::uint32_t bytes, std::uint64_t* bad_address);

  /// Requests of an engine by address of the process that has this PASID. False: a page fault.
  [[nodiscard]] bool read_process(std::uint32_t node, std::uint32_t pasid, std::uint64_t address,
                                  void* buffer, std::uint32_t bytes) const {
    return host_.dma_read_pasid != nullptr &&
           host_.dma_read_pasid(host_.host, node, pasid, address, buffer, bytes) == 0;
  }
  [[nodiscard]] bool write_process(std::uint32_t node, std::uint32_t pasid, std::uint64_t address,
                                   const void* buffer, std::uint32_t bytes) const {
    return host_.dma_write_pasid != nullptr &&
           host_.dma_write_pasid(host_.host, node, pasid, address, buffer, bytes) == 0;
  }

  [[nodiscard]] std::uint64_t aperture_entry(std::uint32_t index) const {
    return index < aperture_.size() ? aperture_[index] : HW_APERTURE_INVALID;
  }
  /// Reads what no BAR shows as memory, without a trace; false if not all of it is such.
  [[nodiscard]] bool read_unseen(std::uint64_t address, void* buffer, std::uint32_t bytes) const;
  /// False if there is no such entry.
  [[nodiscard]] bool set_aperture_entry(std::uint32_t index, std::uint64_t physical);
  void set_all_aperture_entries(std::uint64_t physical) { aperture_.fill(physical); }

 private:
  // One stretch of memory of a single kind: nothing, host pointer, offset in high memory, or
  // physical address.
  struct Piece {
    std::uint8_t* local = nullptr;
    std::uint8_t* hidden = nullptr;
    std::uint64_t physical = 0;
    std::uint32_t bytes = 0;
    bool high = false;
    bool valid = false;
  };
  using Page = std::array<std::uint8_t, HW_PAGE_SIZE>;
  [[nodiscard]] Piece locate(Space space, std::uint64_t address, std::uint32_t bytes) const;

  void read_high(std::uint64_t offset, std::uint8_t* out, std::uint32_t bytes) const;
  void write_high(std::uint64_t offset, const std::uint8_t* in, std::uint32_t bytes);

  const WddmDeviceHost& host_;
  std::uint8_t* local_;
  HiddenMemory& hidden_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> high_;  // by number; never walked over
  std::array<std::uint64_t, HW_APERTURE_PAGES> aperture_;
};

}  // namespace wddm::reference_device
