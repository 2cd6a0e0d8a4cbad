// Devices, contexts and allocations: what the scenario's slots name, and the driver's handles.
//
// Dxgkrnl's own handles are tokens that say nothing about memory, so that a driver that
// dereferences one is caught and traces stay the same from run to run.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/memory/memory.h"
#include "conformance/sdk/client.h"
#include "reference/trace/op.h"
#include "reference/types.h"

namespace wddm::host {

/// Scenario slots, plus one for the marker allocation that the host itself makes.
inline constexpr std::uint32_t kSlots = 256;
inline constexpr std::uint32_t kMarkerAllocation = kSlots;
/// Its words of 32 bits, one for each render; after the last comes the first again.
inline constexpr std::uint32_t kMarkerWords = static_cast<std::uint32_t>(kPageSize / 4);

struct DeviceObject {
  bool live = false;
  HANDLE driver = nullptr;  ///< what CreateDevice left in hDevice
};

struct ContextObject {
  bool live = false;
  std::uint32_t device = 0;
  EngineId engine{};
  HANDLE driver = nullptr;
  DXGK_CONTEXTINFO info{};
};

struct AllocationObject {
  bool live = false;
  std::uint32_t device = 0;
  HANDLE driver = nullptr;           ///< DXGK_ALLOCATIONINFO::hAllocation
  HANDLE device_specific = nullptr;  ///< from OpenAllocation
  std::uint64_t bytes = 0;           ///< Size, rounded up to pages
  std::uint32_t pages = 0;
  std::uint32_t write_set = 0;
  std::uint32_t eviction_set = 0;
  std::uint32_t preferred = 0;  ///< first preference: a SegmentId or 0
  std::uint32_t alignment_pages = 1;
  bool cpu_visible = false;
  std::vector<memory::Frame> frames;  ///< system memory behind it, one for each page
};

class Objects {
 public:
  /// `client` may be null.
  Objects(Adapter& adapter, const WddmClient* client);
  ~Objects();
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  // Each returns whether the driver agreed; on refusal the slot stays empty.
  bool create_device(std::uint32_t slot);
  bool create_context(std::uint32_t slot, std::uint32_t device, EngineId engine);
  bool create_allocation(std::uint32_t slot, std::uint32_t device, std::uint32_t pages, Place place,
                         bool cpu_visible);
  void destroy_device(std::uint32_t slot);
  void destroy_context(std::uint32_t slot);
  void destroy_allocation(std::uint32_t slot);

  [[nodiscard]] DeviceObject& device(std::uint32_t slot) { return devices_[slot]; }
  [[nodiscard]] ContextObject& context(std::uint32_t slot) { return contexts_[slot]; }
  [[nodiscard]] const ContextObject& context(std::uint32_t slot) const { return contexts_[slot]; }
  [[nodiscard]] AllocationObject& allocation(std::uint32_t slot) { return allocations_[slot]; }
  [[nodiscard]] const AllocationObject& allocation(std::uint32_t slot) const {
    return allocations_[slot];
  }
  /// Bytes of each allocation, 0 where there is none.
  [[nodiscard]] const std::array<std::uint64_t, kSlots + 1>& sizes() const { return sizes_; }
  [[nodiscard]] PVOID data_of(const DXGKARGCB_GETHANDLEDATA& args) const;
  [[nodiscard]] void* client_instance() const { return client_instance_; }
  [[nodiscard]] const WddmClient* client() const { return client_; }

 private:
  bool private_data(const WddmAllocationRequest& request, std::vector<std::uint8_t>& out);
  bool standard_private_data(const WddmAllocationRequest& request, std::vector<std::uint8_t>& out);
  bool open_allocation(std::uint32_t slot, std::vector<std::uint8_t>& data);
  void describe(std::uint32_t slot, const DXGK_ALLOCATIONINFO& info);

  Adapter& adapter_;
  const WddmClient* client_;
  void* client_instance_ = nullptr;
  std::array<DeviceObject, kSlots> devices_;
  std::array<ContextObject, kSlots> contexts_;
  std::array<AllocationObject, kSlots + 1> allocations_;
  std::array<std::uint64_t, kSlots + 1> sizes_{};  // of those that live
};

/// DxgkCbGetHandleData of the running session: null for a handle that names nothing.
[[nodiscard]] PVOID handle_data(const DXGKARGCB_GETHANDLEDATA& args);

}  // namespace wddm::host
