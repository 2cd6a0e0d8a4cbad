// How an engine reaches memory: directly, or through its MMU.
//
// A virtual access is translated as a whole before a byte of it moves, so a page fault in its
// second page leaves the first one alone too.
#include <algorithm>
#include <cstring>

#include "conformance/drivers/reference/device/gpu_engine.h"

namespace wddm::reference_device {

bool Engine::translate(std::uint64_t address, std::uint32_t bytes, Access access, Leaves leaves,
                       Stretches& stretches) {
  for (Stretch& stretch : stretches) {
    stretch = {};
    if (bytes == 0) continue;
    stretch.place = mmu_.translate(address, access, leaves);
    if (!stretch.place.valid) {
      raise_fault(address, stretch.place.fault_level, access);
      return false;
    }
    stretch.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, stretch.place.bytes));
    address += stretch.bytes;
    bytes -= stretch.bytes;
  }
  return true;
}

void Engine::raise_fault(std::uint64_t address, std::uint32_t level, Access access) {
  fault_raised_ = true;
  fault_ = {.address = address,
            .level = level,
            .access = static_cast<std::uint32_t>(access),
            .space = entry_.address_space,
            .index = entry_index_,
            .fence = entry_.fence};
  WddmDeviceEvent event{};
  event.size = sizeof(event);
  event.kind = WDDM_DEVICE_PAGE_FAULT;
  event.node = node_;
  event.tag = entry_.fence;
  event.address = address;
  event.level = level;
  event.write = access == Access::Write ? 1 : 0;
  event.process = entry_.address_space;
  log_.push(event);
}

bool Engine::read_memory(Space space, std::uint64_t address, void* buffer, std::uint32_t bytes,
                         Access access, Leaves leaves) {
  if (space != Space::Virtual) {
    std::uint64_t bad = 0;
    if (!memory_.read(space, address, buffer, bytes, &bad)) log(WDDM_DEVICE_FAULT, bad, bytes);
    return true;
  }
  if (uses_iommu()) {
    if (memory_.read_process(node_, entry_.pasid, address, buffer, bytes)) return true;
    raise_fault(address, 0, access);
    return false;
  }
  Stretches stretches;
  if (!translate(address, bytes, access, leaves, stretches)) return false;
  auto* out = static_cast<std::uint8_t*>(buffer);
  for (const Stretch& stretch : stretches) {
    if (stretch.place.zero) {
      std::memset(out, 0, stretch.bytes);
    } else if (stretch.bytes != 0) {
      read_memory(stretch.place.space, stretch.place.address, out, stretch.bytes);
    }
    out += stretch.bytes;
  }
  return true;
}

bool Engine::write_memory(Space space, std::uint64_t address, const void* buffer,
                          std::uint32_t bytes, Leaves leaves) {
  if (space != Space::Virtual) {
    std::uint64_t bad = 0;
    if (!memory_.write(space, address, buffer, bytes, &bad)) log(WDDM_DEVICE_FAULT, bad, bytes);
    return true;
  }
  if (uses_iommu()) {
    if (memory_.write_process(node_, entry_.pasid, address, buffer, bytes)) return true;
    raise_fault(address, 0, Access::Write);
    return false;
  }
  Stretches stretches;
  if (!translate(address, bytes, Access::Write, leaves, stretches)) return false;
  const auto* in = static_cast<const std::uint8_t*>(buffer);
  for (const Stretch& stretch : stretches) {
    if (stretch.bytes != 0 && !stretch.place.zero) {
      write_memory(stretch.place.space, stretch.place.address, in, stretch.bytes);
    }
    in += stretch.bytes;
  }
  return true;
}

}  // namespace wddm::reference_device
