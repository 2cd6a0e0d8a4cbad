#include "conformance/drivers/egret/device/egret_memory.h"

#include <algorithm>
#include <cstring>

namespace egret {
namespace {

constexpr std::uint32_t kPage = 4096;

}  // namespace

void Memory::reconcile(std::uint32_t page, std::uint32_t first, std::uint32_t bytes) {
  const auto& shown = shown_[page];
  if (shown.size() < 2) return;
  first &= ~7u;
  const std::uint32_t end = (first + bytes + 15) & ~7u;
  bytes = std::min(end, EG_WINDOW_PAGE) - first;
  std::uint8_t* agreed = local_page(page) + first;
  std::vector<std::uint8_t> before;
  for (const std::uint32_t index : shown) {
    const std::uint8_t* seen = window_page(index) + first;
    const std::uint8_t* base = before.empty() ? agreed : before.data();
    if (std::memcmp(base, seen, bytes) == 0) continue;
    if (before.empty()) before.assign(agreed, agreed + bytes);
    for (std::uint32_t i = 0; i < bytes; ++i) {
      if (seen[i] != before[i]) agreed[i] = seen[i];
    }
  }
  if (before.empty()) return;
  for (const std::uint32_t index : shown) std::memcpy(window_page(index) + first, agreed, bytes);
}

void Memory::reconcile() {
  for (const std::uint32_t page : several_) reconcile(page, 0, EG_WINDOW_PAGE);
}

// Before a part of the window shows something else, or another one shows this page.
void Memory::take_stock(std::uint32_t page) {
  if (shown_[page].size() == 1) {
    std::memcpy(local_page(page), window_page(shown_[page][0]), EG_WINDOW_PAGE);
  } else {
    reconcile(page, 0, EG_WINDOW_PAGE);
  }
}

void Memory::count_several(std::uint32_t page) {
  std::erase(several_, page);
  if (shown_[page].size() > 1) several_.push_back(page);
}

void Memory::set_window(std::uint32_t index, std::uint32_t value) {
  if (index >= EG_WINDOW_PAGES) return;
  const std::uint32_t old = window_map_[index];
  if ((old & EG_WIN_VALID) != 0) {
    const std::uint32_t page = old & ~EG_WIN_VALID;
    take_stock(page);
    std::erase(shown_[page], index);
    count_several(page);
  }
  window_map_[index] = 0;
  const std::uint32_t page = value & ~EG_WIN_VALID;
  if ((value & EG_WIN_VALID) == 0 || page >= kPages) return;
  window_map_[index] = value;
  if (!shown_[page].empty()) take_stock(page);
  shown_[page].push_back(index);
  std::memcpy(window_page(index), local_page(page), EG_WINDOW_PAGE);
  count_several(page);
}

void Memory::access_local(std::uint64_t offset, void* buffer, std::uint32_t bytes, bool write) {
  auto* at = static_cast<std::uint8_t*>(buffer);
  while (bytes != 0) {
    const auto page = static_cast<std::uint32_t>(offset / EG_WINDOW_PAGE);
    const auto in = static_cast<std::uint32_t>(offset % EG_WINDOW_PAGE);
    const std::uint32_t now = std::min(bytes, EG_WINDOW_PAGE - in);
    const auto& shown = shown_[page];
    if (write) {
      for (const std::uint32_t index : shown) {
        std::memcpy(window_page(index) + in, at, now);
        host_.memory_written(host_.host, EG_BAR_WINDOW, std::uint64_t{index} * EG_WINDOW_PAGE + in,
                             now);
      }
      if (shown.size() != 1) std::memcpy(local_page(page) + in, at, now);
    } else {
      std::memcpy(at, (shown.size() == 1 ? window_page(shown[0]) : local_page(page)) + in, now);
    }
    at += now;
    offset += now;
    bytes -= now;
  }
}

bool Memory::access(const Accessor& by, std::uint64_t address, void* buffer, std::uint32_t bytes,
                    bool write) {
  std::uint64_t at = address;
  if (at >= EG_GART_BASE && at - EG_GART_BASE < std::uint64_t{EG_GART_PAGES} * kPage) {
    const std::uint64_t entry = aperture_[(at - EG_GART_BASE) / kPage];
    if ((entry & EG_GART_VALID) != 0) {
      at = EG_SYS_BIT | (entry & ~std::uint64_t{kPage - 1}) | at % kPage;
    }
  }
  if (at >= EG_VRAM_BASE && at - EG_VRAM_BASE + bytes <= EG_VRAM_SIZE) {
    access_local(at - EG_VRAM_BASE, buffer, bytes, write);
    return true;
  }
  const std::uint64_t system = at & ~EG_SYS_BIT;
  if ((at & EG_SYS_BIT) != 0 && (write ? host_.dma_write(host_.host, system, buffer, bytes)
                                       : host_.dma_read(host_.host, system, buffer, bytes)) == 0) {
    return true;
  }
  WddmDeviceEvent fault = record_of(WDDM_DEVICE_FAULT, by, system, bytes);
  fault.write = write ? 1 : 0;
  log_.push_back(fault);
  if (!write) std::memset(buffer, 0, bytes);
  return false;
}

void Memory::access_all(const Accessor& by, std::uint64_t address, void* buffer,
                        std::uint64_t bytes, bool write) {
  auto* at = static_cast<std::uint8_t*>(buffer);
  while (bytes != 0) {
    const auto now =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, kPage - address % kPage));
    access(by, address, at, now, write);
    address += now;
    at += now;
    bytes -= now;
  }
}

bool Memory::peek(std::uint64_t address, void* buffer, std::uint32_t bytes) {
  if (address < EG_VRAM_BASE || address - EG_VRAM_BASE > EG_VRAM_SIZE ||
      bytes > EG_VRAM_SIZE - (address - EG_VRAM_BASE)) {
    return false;
  }
  const std::uint64_t offset = address - EG_VRAM_BASE;
  for (std::uint64_t at = offset, end = at + bytes; at < end;) {
    const auto in = static_cast<std::uint32_t>(at % EG_WINDOW_PAGE);
    const auto now =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(end - at, EG_WINDOW_PAGE - in));
    reconcile(static_cast<std::uint32_t>(at / EG_WINDOW_PAGE), in, now);
    at += now;
  }
  access_local(offset, buffer, bytes, false);
  return true;
}

void Memory::lose_power() {
  std::fill(std::begin(aperture_), std::end(aperture_), 0);
  for (auto& shown : shown_) shown.clear();
  several_.clear();
  std::fill(std::begin(window_map_), std::end(window_map_), 0);
  std::memset(local_.get(), 0xd3, EG_VRAM_SIZE);
}

}  // namespace egret
