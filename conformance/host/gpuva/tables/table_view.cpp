#include "conformance/host/gpuva/tables/table_view.h"

#include <cstring>

namespace wddm::host {

std::span<const std::uint8_t> WindowView::look() {
  for (std::size_t i = 0; i < as_seen_.size(); ++i) {
    as_seen_[i] = bus_.cpu_read(bus_address_ + i * sizeof(std::uint64_t));
  }
  std::memcpy(copy_.data(), as_seen_.data(), copy_.size());
  return {copy_.data(), copy_.size()};
}

std::uint8_t* WindowView::for_the_cpu() {
  static_cast<void>(look());
  return copy_.data();
}

void WindowView::written() {
  for (std::size_t i = 0; i < as_seen_.size(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, copy_.data() + i * sizeof(word), sizeof(word));
    if (word == as_seen_[i]) continue;
    bus_.cpu_write(bus_address_ + i * sizeof(word), word);
    as_seen_[i] = word;
  }
}

std::span<const std::uint8_t> DeviceView::look() {
  if (!bus_.device_read(gpu_address_, bytes_)) return {};
  return bytes_;
}

}  // namespace wddm::host
