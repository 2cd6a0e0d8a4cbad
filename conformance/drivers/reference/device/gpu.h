// The reference GPU as a whole: two engines and their MMUs, aperture, semaphores, interrupt line,
// register space.
//
// Models hw.h, "Global registers". It is a WddmDevice (device_entry.cpp) and the first user of that
// contract. Leaves out: power states but D3, configuration space beyond the identity.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "conformance/drivers/reference/device/event_log.h"
#include "conformance/drivers/reference/device/gpu_engine.h"
#include "conformance/drivers/reference/device/hidden_memory.h"
#include "conformance/drivers/reference/device/memory_port.h"

namespace wddm::reference_device {

class Gpu {
 public:
  /// `local_memory`: HW_LOCAL_PAGES pages that outlive the GPU.
  Gpu(const WddmDeviceHost& host, std::uint8_t* local_memory);

  [[nodiscard]] std::uint64_t read(std::uint64_t offset, std::uint32_t bytes) const;
  /// Registers take writes of 4 and 8 bytes; others have no effect.
  void write(std::uint64_t offset, std::uint32_t bytes, std::uint64_t value);
  /// What the CPU sees through BAR 4, by accesses that are naturally aligned.
  [[nodiscard]] std::uint64_t read_window(std::uint64_t offset, std::uint32_t bytes);
  void write_window(std::uint64_t offset, std::uint32_t bytes, std::uint64_t value);
  /// Memory that no BAR shows as such; false if not all of it is.
  [[nodiscard]] bool read_unseen(std::uint64_t address, void* buffer, std::uint32_t bytes) const {
    return memory_.read_unseen(address, buffer, bytes);
  }
  /// Both engines work side by side, unit by unit; stops early when neither can go on. Returns the
  /// units during which something happened.
  std::uint32_t advance(std::uint32_t units);
  [[nodiscard]] bool take_event(WddmDeviceEvent* event) { return log_.pop(event); }
  void scramble(std::uint32_t node, std::uint32_t seed);
  /// Forgets registers as a reset does, and those that a reset keeps. Fences, what the host
  /// aperture shows and all memory have a power of their own.
  void lose_power();

 private:
  /// Where a byte of BAR 4 lies, if it is one of the memory behind BAR 2.
  [[nodiscard]] std::optional<std::uint64_t> local_behind(std::uint64_t offset) const;
  [[nodiscard]] std::uint32_t read32(std::uint32_t offset) const;
  void write32(std::uint32_t offset, std::uint32_t value);
  [[nodiscard]] std::uint32_t pending() const;
  [[nodiscard]] std::uint32_t causes_of_nodes() const;
  void reset();
  [[nodiscard]] std::uint32_t uneventful_units() const;
  void update_line();

  const WddmDeviceHost host_;
  EventLog log_;
  Semaphores semaphores_{};
  HiddenMemory hidden_;
  MemoryPort memory_;
  MmuUnit mmus_;
  std::array<Engine, HW_NODE_COUNT> engines_;
  std::uint32_t interrupt_enable_ = 0;
  std::uint32_t aperture_init_low_ = 0;
  bool reset_in_progress_ = false;
  bool reset_done_ = false;
  bool retrace_ = false;
  std::uint32_t node_causes_ = 0;  // when the line was looked at last
  bool line_ = false;
};

}  // namespace wddm::reference_device
