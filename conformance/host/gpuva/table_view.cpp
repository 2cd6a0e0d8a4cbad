#include "conformance/host/gpuva/table_view.h"

namespace wddm::host {

std::span<const std::uint8_t> WindowView::look() {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    words_[i] = bus_.cpu_read(bus_address_ + i * sizeof(std::uint64_t));
  }
  as_seen_ = words_;
  return {reinterpret_cast<const std::uint8_t*>(words_.data()),
          words_.size() * sizeof(std::uint64_t)};
}

std::uint8_t* WindowView::for_the_cpu() {
  static_cast<void>(look());
  return reinterpret_cast<std::uint8_t*>(words_.data());
}

void WindowView::written() {
  for (std::size_t i = 0; i < words_.size() && i < as_seen_.size(); ++i) {
    if (words_[i] == as_seen_[i]) continue;
    bus_.cpu_write(bus_address_ + i * sizeof(std::uint64_t), words_[i]);
  }
  as_seen_ = words_;
}

std::span<const std::uint8_t> DeviceView::look() {
  if (!bus_.device_read(gpu_address_, bytes_)) return {};
  return bytes_;
}

}  // namespace wddm::host
