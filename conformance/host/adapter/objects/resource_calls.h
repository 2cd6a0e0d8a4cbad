// The four calls in which a resource of several allocations comes and goes: in one call each, or in
// parts. Behind the first part CreateAllocation is told what the driver calls the resource.
//
// Private data lie against inaccessible memory, as large as the driver is told that they are.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"

namespace wddm::host {

/// Whether the device is there, and the driver has all four entry points.
[[nodiscard]] bool has_resource_calls(const Objects& objects, DeviceId device);

/// Data for an allocation of the client's of so many bytes that nothing will be placed in. False if
/// there is none. `shared`: other devices may open it.
[[nodiscard]] bool unplaced_data(Objects& objects, std::uint32_t bytes, PrivateData& out,
                                 bool shared = false);

class ResourceCalls {
 public:
  /// `count` allocations with the same data, at first.
  ResourceCalls(const Adapter& adapter, Objects& objects, DeviceId device, const PrivateData& data,
                std::uint32_t count);
  ~ResourceCalls();
  ResourceCalls(const ResourceCalls&) = delete;
  ResourceCalls& operator=(const ResourceCalls&) = delete;

  // In this order; each returns what the driver did.
  NTSTATUS create() { return create({0, infos_.size()}); }
  NTSTATUS open(bool creating) { return open({0, infos_.size()}, creating); }
  NTSTATUS close() { return close({0, handles_.size()}); }
  NTSTATUS destroy() { return destroy({0, drivers_.size()}, true); }
  /// Some of them. The resource comes with the first that are created, and goes with the last that
  /// are destroyed (DestroyResource).
  struct Part {
    std::size_t first = 0, count = 0;
    bool from_end = false;  ///< counted from the last allocation down: close() and destroy() only
  };
  NTSTATUS create(Part part);
  NTSTATUS open(Part part, bool creating) { return open_on(id_, part, creating, handles_); }
  NTSTATUS close(Part part);
  NTSTATUS destroy(Part part, bool with_resource);
  /// Another device opens all of them as well, and closes what it has opened.
  NTSTATUS open_elsewhere(DeviceId other);
  NTSTATUS close_elsewhere();

  /// From the next call on the data of the allocations are others; of the resource.
  void give(const std::vector<std::uint8_t>& data);
  void give_resource(const std::vector<std::uint8_t>& data);
  /// Those of the last allocation alone.
  void give_last(const std::vector<std::uint8_t>& data);
  /// Bytes behind private data that were written.
  [[nodiscard]] std::uint32_t damaged() const;

  /// Handles of their own that create() and open() gave to those that are there.
  [[nodiscard]] std::uint32_t described() const { return distinct(drivers_); }
  [[nodiscard]] std::uint32_t opened() const { return distinct(handles_); }
  [[nodiscard]] std::uint32_t opened_elsewhere() const { return distinct(elsewhere_); }
  /// What create() gave for the first of them; may be null.
  [[nodiscard]] HANDLE first() const { return drivers_.front(); }
  /// The least Size that was described.
  [[nodiscard]] std::uint64_t smallest() const;
  /// The Size of the last.
  [[nodiscard]] std::uint64_t size_of_last() const { return infos_.back().Size; }
  /// Tells how each of them was described, beside what was asked for.
  void tell(const ev::ShapeDescribed& asked) const;
  /// Flags, and SupportedWriteSegmentSet, that any of them was described with.
  [[nodiscard]] std::uint32_t flags() const;
  [[nodiscard]] std::uint32_t write_set() const;
  /// What the last create() described and cannot be: HostileDataTried::impossible.
  [[nodiscard]] std::uint32_t impossible() const;
  [[nodiscard]] bool has_resource() const { return driver_resource_ != nullptr; }

 private:
  NTSTATUS open_on(DeviceId device, Part part, bool creating, std::vector<HANDLE>& handles);
  NTSTATUS close_on(DeviceId device, const std::vector<HANDLE>& handles);
  [[nodiscard]] static std::vector<HANDLE> of_part(const std::vector<HANDLE>& handles, Part part);
  static void forget(std::vector<HANDLE>& handles, Part part);
  [[nodiscard]] static std::uint32_t distinct(std::vector<HANDLE> handles);

  const Adapter& adapter_;
  Objects& objects_;
  const DeviceId id_;
  DeviceId other_;
  memory::GuardedBuffer resource_;           // its data
  std::vector<memory::GuardedBuffer> data_;  // of each allocation
  std::vector<DXGK_ALLOCATIONINFO> infos_;
  std::vector<HANDLE> drivers_;  // what the driver calls them, and opened
  std::vector<HANDLE> handles_;
  std::vector<HANDLE> elsewhere_;  // what the other device calls them
  HANDLE driver_resource_ = nullptr;
};

}  // namespace wddm::host
