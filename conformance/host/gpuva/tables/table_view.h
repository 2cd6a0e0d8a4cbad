// The memory of a page table as the CPU reaches it: as memory of the system or behind a BAR,
// through the CPU host aperture, or not at all; then the device may read it for us.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/host/adapter/bus.h"
#include "conformance/host/memory/memory.h"

namespace wddm::host {

class TableView {
 public:
  virtual ~TableView() = default;
  /// What memory holds now, until the next call; empty if that cannot be told.
  [[nodiscard]] virtual std::span<const std::uint8_t> look() = 0;
  /// Where a driver writes it with the CPU; null: it cannot.
  [[nodiscard]] virtual std::uint8_t* for_the_cpu() { return nullptr; }
  /// The driver has written there.
  virtual void written() {}
};

class DirectView final : public TableView {
 public:
  explicit DirectView(std::span<std::uint8_t> bytes) : bytes_(bytes) {}
  std::span<const std::uint8_t> look() override { return bytes_; }
  std::uint8_t* for_the_cpu() override { return bytes_.data(); }

 private:
  std::span<std::uint8_t> bytes_;
};

/// Through a window of the CPU host aperture. A real one is memory to the driver; here its pages
/// may be registers of a model, so the driver writes a copy, and what it changed goes there.
class WindowView final : public TableView {
 public:
  WindowView(Bus& bus, std::uint64_t bus_address, std::uint64_t bytes)
      : bus_(bus),
        bus_address_(bus_address),
        copy_(bytes, false, memory::FrameOwner::Allocation),
        as_seen_(bytes / sizeof(std::uint64_t)) {}
  std::span<const std::uint8_t> look() override;
  std::uint8_t* for_the_cpu() override;
  void written() override;

 private:
  Bus& bus_;
  std::uint64_t bus_address_;
  memory::GuardedBuffer copy_;
  std::vector<std::uint64_t> as_seen_;
};

/// Behind no BAR, by the device's own memory_read.
class DeviceView final : public TableView {
 public:
  DeviceView(const Bus& bus, std::uint64_t gpu_address, std::uint64_t bytes)
      : bus_(bus), gpu_address_(gpu_address), bytes_(bytes) {}
  std::span<const std::uint8_t> look() override;

 private:
  const Bus& bus_;
  std::uint64_t gpu_address_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace wddm::host
