#include "conformance/drivers/reference/device/memory_port.h"

#include <algorithm>
#include <cstring>

namespace wddm::reference_device {
namespace {

constexpr std::uint64_t kLocalEnd = HW_LOCAL_BASE + std::uint64_t{HW_LOCAL_PAGES} * HW_PAGE_SIZE;
constexpr std::uint64_t kHighEnd = HW_HIGH_BASE + std::uint64_t{HW_HIGH_PAGES} * HW_PAGE_SIZE;
constexpr std::uint64_t kHiddenEnd = HW_HIDDEN_BASE + std::uint64_t{HW_HIDDEN_PAGES} * HW_PAGE_SIZE;
constexpr std::uint64_t kApertureEnd =
    HW_APERTURE_BASE + std::uint64_t{HW_APERTURE_PAGES} * HW_PAGE_SIZE;

std::uint32_t up_to(std::uint64_t address, std::uint64_t end, std::uint32_t bytes) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, end - address));
}

std::uint32_t up_to_page_end(std::uint64_t address, std::uint32_t bytes) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(bytes, HW_PAGE_SIZE - address % HW_PAGE_SIZE));
}

}  // namespace

bool MemoryPort::set_aperture_entry(std::uint32_t index, std::uint64_t physical) {
  if (index >= aperture_.size()) return false;
  aperture_[index] = physical;
  return true;
}

MemoryPort::Piece MemoryPort::locate(Space space, std::uint64_t address,
                                     std::uint32_t bytes) const {
  Piece piece;
  if (space == Space::System) {
    piece.physical = address;
    piece.bytes = up_to_page_end(address, bytes);
    piece.valid = true;
  } else if (address >= HW_LOCAL_BASE && address < kLocalEnd) {
    piece.local = local_ + (address - HW_LOCAL_BASE);
    piece.bytes = up_to(address, kLocalEnd, bytes);
    piece.valid = true;
  } else if (address >= HW_HIDDEN_BASE && address < kHiddenEnd) {
    piece.hidden = hidden_.data() + (address - HW_HIDDEN_BASE);
    piece.bytes = up_to(address, kHiddenEnd, bytes);
    piece.valid = true;
  } else if (address >= HW_HIGH_BASE && address < kHighEnd) {
    piece.physical = address - HW_HIGH_BASE;
    piece.bytes = up_to_page_end(address, bytes);
    piece.high = true;
    piece.valid = true;
  } else {
    piece.bytes = up_to_page_end(address, bytes);
    if (address >= HW_APERTURE_BASE && address < kApertureEnd) {
      const std::uint64_t entry = aperture_[(address - HW_APERTURE_BASE) / HW_PAGE_SIZE];
      piece.physical = entry + address % HW_PAGE_SIZE;
      piece.valid = entry != HW_APERTURE_INVALID;
    }
  }
  return piece;
}

void MemoryPort::read_high(std::uint64_t offset, std::uint8_t* out, std::uint32_t bytes) const {
  const auto page = high_.find(offset / HW_PAGE_SIZE);
  if (page == high_.end()) {
    std::memset(out, 0, bytes);
  } else {
    std::memcpy(out, page->second->data() + offset % HW_PAGE_SIZE, bytes);
  }
}

void MemoryPort::write_high(std::uint64_t offset, const std::uint8_t* in, std::uint32_t bytes) {
  std::unique_ptr<Page>& page = high_[offset / HW_PAGE_SIZE];
  if (page == nullptr) page = std::make_unique<Page>();
  std::memcpy(page->data() + offset % HW_PAGE_SIZE, in, bytes);
}

bool MemoryPort::read_unseen(std::uint64_t address, void* buffer, std::uint32_t bytes) const {
  auto* out = static_cast<std::uint8_t*>(buffer);
  while (bytes != 0) {
    const Piece piece = locate(Space::Gpu, address, bytes);
    if (!piece.valid || (piece.hidden == nullptr && !piece.high)) return false;
    if (piece.high) {
      read_high(piece.physical, out, piece.bytes);
    } else {
      std::memcpy(out, piece.hidden, piece.bytes);
    }
    out += piece.bytes;
    address += piece.bytes;
    bytes -= piece.bytes;
  }
  return true;
}

bool MemoryPort::read(Space space, std::uint64_t address, void* buffer, std::uint32_t bytes,
                      std::uint64_t* bad_address) {
  auto* out = static_cast<std::uint8_t*>(buffer);
  bool whole = true;
  while (bytes != 0) {
    const Piece piece = locate(space, address, bytes);
    bool good = piece.valid;
    if (good && piece.local != nullptr) {
      std::memcpy(out, piece.local, piece.bytes);
    } else if (good && piece.hidden != nullptr) {
      std::memcpy(out, piece.hidden, piece.bytes);
    } else if (good && piece.high) {
      read_high(piece.physical, out, piece.bytes);
    } else if (good) {
      good = host_.dma_read(host_.host, piece.physical, out, piece.bytes) == 0;
    }
    if (!good) {
      std::memset(out, 0, piece.bytes);
      if (whole) *bad_address = address;
      whole = false;
    }
    out += piece.bytes;
    address += piece.bytes;
    bytes -= piece.bytes;
  }
  return whole;
}

bool MemoryPort::write(Space space, std::uint64_t address, const void* buffer, std::uint32_t bytes,
                       std::uint64_t* bad_address) {
  const auto* in = static_cast<const std::uint8_t*>(buffer);
  bool whole = true;
  while (bytes != 0) {
    const Piece piece = locate(space, address, bytes);
    bool good = piece.valid;
    if (good && piece.local != nullptr) {
      std::memcpy(piece.local, in, piece.bytes);
      host_.memory_written(host_.host, HW_MEMORY_BAR,
                           static_cast<std::uint64_t>(piece.local - local_), piece.bytes);
    } else if (good && piece.hidden != nullptr) {
      std::memcpy(piece.hidden, in, piece.bytes);
    } else if (good && piece.high) {
      write_high(piece.physical, in, piece.bytes);
    } else if (good) {
      good = host_.dma_write(host_.host, piece.physical, in, piece.bytes) == 0;
    }
    if (!good && whole) *bad_address = address;
    whole = whole && good;
    in += piece.bytes;
    address += piece.bytes;
    bytes -= piece.bytes;
  }
  return whole;
}

}  // namespace wddm::reference_device
