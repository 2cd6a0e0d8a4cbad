// Devices and allocations, and with context_objects.h contexts: what the scenario's slots name, and
// the driver's handles.
//
// Dxgkrnl's own handles are tokens that say nothing about memory, so that a driver that
// dereferences one is caught and traces stay the same from run to run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/adapter/objects/context_objects.h"
#include "conformance/host/adapter/objects/object_slots.h"
#include "conformance/host/adapter/objects/processes.h"
#include "conformance/host/adapter/objects/standard_data.h"
#include "conformance/host/memory/memory.h"
#include "conformance/sdk/client.h"
#include "reference/trace/op.h"
#include "reference/types.h"

namespace wddm::host {

struct DeviceObject {
  bool live = false;
  ProcessId process{};
  HANDLE driver = nullptr;  ///< what CreateDevice left in hDevice
  DXGK_DEVICEINFO info{};   ///< of a driver without contexts: what it wants for the device
};

/// An allocation on a device, by what OpenAllocation left in hDeviceSpecificAllocation.
struct OpenedOn {
  DeviceId device{};
  HANDLE handle = nullptr;
};

/// How the CPU saw an allocation through a swizzling range.
struct SwizzlingView {
  std::uint32_t range = 0;
  std::vector<std::uint8_t> bytes;  ///< what it saw; empty: the segment's own bytes
};

/// What a Swizzled allocation held once, in system memory and in its segment: one made of the
/// other.
struct SwizzledForms {
  std::vector<std::uint8_t> linear, stored;
  SegmentId segment = kNoSegment;  ///< where it was stored: tiles may depend on that
  std::uint32_t page = 0;
};

struct AllocationInCall;

struct AllocationObject {
  bool live = false;
  DeviceId device{};
  HANDLE driver = nullptr;           ///< DXGK_ALLOCATIONINFO::hAllocation
  HANDLE device_specific = nullptr;  ///< from OpenAllocation, on `device`
  HANDLE resource = nullptr;         ///< DXGKARG_CREATEALLOCATION::hResource, if it is of one
  /// Of a resource of several, which came in one call.
  AllocationId first_of_resource = kNoAllocation;
  bool shared = false;  ///< it is of a shared resource
  /// It is a primary with UseAlternateVA that the CPU may lock.
  bool alternate_view = false;
  /// It was evicted under such a lock: by which swizzling range the CPU saw it, until it is back.
  std::optional<SwizzlingView> view;
  PrivateData data;                 ///< if it is shared: what each device opens it with
  std::vector<OpenedOn> elsewhere;  ///< the other devices that have it open, oldest first
  std::uint64_t bytes = 0;          ///< Size, rounded up to pages of its segments
  std::uint32_t pages = 0;
  std::uint32_t write_set = 0;
  std::uint32_t eviction_set = 0;
  SegmentId preferred = kNoSegment;  ///< the first preference
  std::uint32_t alignment_pages = 1;
  /// GPU of the link whose segments its sets name. VidMm places it as if they were those of GPU 0,
  /// where its pages stay empty.
  std::uint32_t physical_adapter = 0;
  /// It is an instance of this one, which was renamed: CreateAllocation was not called for it.
  AllocationId original = kNoAllocation;
  std::uint32_t most_instances = 0;  ///< MaximumRenamingListLength, before WDDM 2.0; 0: any
  bool cpu_visible = false;
  bool cached = false;                  ///< by the CPU
  bool swizzled = false;                ///< before WDDM 2.0
  bool exact = false;                   ///< no byte was added to the size that was asked for
  std::optional<SurfaceShape> surface;  ///< it can be presented from and to
  /// It left its segment by a Transfer with Unswizzle, and comes back by one with Swizzle.
  bool linear = false;
  std::optional<SwizzledForms> forms;  ///< as it was converted last
  /// While it is evicted so: what the CPU saw through a swizzling range, and wrote there.
  std::vector<std::uint8_t> seen;
  bool large_pages = false;  ///< DisableLargePageMapping is clear
  bool accessed_physically = false;
  bool notify_residency = false;      ///< ExplicitResidencyNotification and AccessedPhysically
  std::vector<memory::Frame> frames;  ///< system memory behind it, one for each page
};

class Objects {
 public:
  /// `client` may be null.
  Objects(Adapter& adapter, const Processes& processes, const WddmClient* client);
  ~Objects();
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  // Each returns whether the driver agreed; on refusal the slot stays empty.
  bool create_device(DeviceId id, ProcessId process = kFirstProcess);
  /// The system device and a system context for each node, in the system process.
  void create_system_contexts();
  /// `physical_adapter`: GPU of the link whose memory is asked for. `together`: so many of one
  /// resource, one slot after the other, of which all are made or none.
  bool create_allocation(AllocationId id, DeviceId device, std::uint32_t pages, Place place,
                         bool cpu_visible, std::uint32_t physical_adapter = 0, bool shared = false,
                         std::uint32_t together = 1);
  /// The shared primary of video present source 0, of so many rows of 4 KB, opened on the first
  /// device.
  bool create_primary(AllocationId id, std::uint32_t rows);
  /// A shadow surface, linear and of texels of 4 bytes, on the first device.
  bool create_surface(AllocationId id, const StandardSurface& surface);
  /// Other memory for an allocation, with the driver's handles of `original`.
  void rename_allocation(AllocationId id, AllocationId original, std::uint32_t instances);
  /// One more device opens a shared allocation, with all of its resource.
  bool open_allocation(AllocationId id, DeviceId device);
  /// A device that has a shared allocation open opens it, or its resource, twice more, closes the
  /// last opening and then the one that it had, and goes on with the one between.
  bool open_again(AllocationId id, DeviceId device);
  /// Why the last of them that failed did; what a DDI returned stands in the trace.
  [[nodiscard]] const char* refusal() const { return refusal_; }
  /// From here on a pattern stands where the driver is to answer, and no zeros.
  void prefill(bool on) { prefills_ = on; }
  [[nodiscard]] bool prefills() const { return prefills_; }
  /// From here on contents are paged by GPU virtual address with hAllocation, or with none.
  void name_in_paging(bool on) { names_in_paging_ = on; }
  [[nodiscard]] bool names_in_paging() const { return names_in_paging_; }
  void destroy_device(DeviceId id);
  /// And what goes with it, in one call.
  void destroy_allocation(AllocationId id);

  [[nodiscard]] DeviceObject& device(DeviceId id) { return devices_[id]; }
  [[nodiscard]] const DeviceObject& device(DeviceId id) const { return devices_[id]; }
  [[nodiscard]] Contexts& contexts() { return contexts_; }
  [[nodiscard]] const Contexts& contexts() const { return contexts_; }
  [[nodiscard]] ContextObject& context(ContextId id) { return contexts_[id]; }
  [[nodiscard]] const ContextObject& context(ContextId id) const { return contexts_[id]; }
  [[nodiscard]] AllocationObject& allocation(AllocationId id) { return allocations_[id]; }
  [[nodiscard]] const AllocationObject& allocation(AllocationId id) const {
    return allocations_[id];
  }
  /// What a device calls the allocation; null if it has not opened it.
  [[nodiscard]] HANDLE handle_on(DeviceId device, AllocationId id) const;
  /// What is destroyed with the allocation, itself first: the first of a resource takes all.
  [[nodiscard]] std::vector<AllocationId> goes_with(AllocationId id) const;
  /// All that are left of its resource, in the order of their slots; itself, if it is of none.
  [[nodiscard]] std::vector<AllocationId> of_one_resource(AllocationId id) const;
  /// Whether the allocation ends with the device: it is its own, and nobody else has it open.
  [[nodiscard]] bool ends_with(DeviceId device, AllocationId id) const;
  /// Segments that allocations may lie in or be evicted to, of all that the driver has described so
  /// far; 0: it has described none.
  [[nodiscard]] std::uint32_t segments_in_use() const { return segments_in_use_; }
  /// Bytes of each allocation, 0 where there is none.
  [[nodiscard]] const std::array<std::uint64_t, kSlots + 1>& sizes() const { return sizes_.values; }
  /// What user mode has asked for of it: honest commands stay within that, whatever the driver or
  /// VidMm has rounded it up to.
  [[nodiscard]] const std::array<std::uint64_t, kSlots + 1>& asked_sizes() const {
    return asked_sizes_.values;
  }
  /// What Dxgkrnl's own handle names, whether or not it is there; nothing if it names none.
  [[nodiscard]] static std::optional<DeviceId> device_named_by(HANDLE os_handle);
  [[nodiscard]] PVOID data_of(const DXGKARGCB_GETHANDLEDATA& args) const;
  [[nodiscard]] void* client_instance() const { return client_instance_; }
  [[nodiscard]] const WddmClient* client() const { return client_; }

  /// What goes to the driver with the request: the client's, or without one what the driver says
  /// itself. False if there is none.
  [[nodiscard]] bool private_data(const WddmAllocationRequest& request, PrivateData& out);

  /// Allocations in no slot, by what the driver calls them: what DxgkCbGetHandleData says of
  /// theirs. Empty takes them back.
  struct Lent {
    std::span<const HANDLE> drivers, device_specific;
  };
  void lend(Lent lent) { lent_ = lent; }
  [[nodiscard]] static D3DKMT_HANDLE lent_handle(std::size_t index);

 private:
  [[nodiscard]] bool all_free(AllocationId first, std::uint32_t count) const;
  /// CreateAllocation and OpenAllocation with these data, in one call each. A primary is nobody's
  /// in particular.
  bool make(AllocationId first, std::uint32_t count, DeviceId device, const PrivateData& data,
            const WddmAllocationRequest& request, bool primary);
  /// Memory behind it.
  bool take_frames(AllocationObject& allocation);
  /// What the device calls each of them; empty, if not all of them have been opened.
  [[nodiscard]] std::vector<HANDLE> open_on(DeviceId device, std::span<const AllocationInCall> all,
                                            bool first);
  /// By the device that they are created for.
  bool open_first(DeviceId device, std::span<const AllocationInCall> all);
  [[nodiscard]] std::vector<AllocationInCall> in_call(std::span<const AllocationId> ids);
  void close_on(DeviceId device, std::span<const AllocationId> ids) const;
  /// It is closed on a device that ends, and another that has it open is its owner from here on.
  void leave_to_others(AllocationId id, DeviceId device);
  void destroy_together(std::span<const AllocationId> all);

  Adapter& adapter_;
  const Processes& processes_;
  const WddmClient* client_;
  void* client_instance_ = nullptr;
  PerDevice<DeviceObject> devices_;
  Contexts contexts_;
  PerAllocation<AllocationObject> allocations_;
  PerAllocation<std::uint64_t> sizes_, asked_sizes_;  // of those that live
  std::uint32_t segments_in_use_ = 0;
  Lent lent_;
  const char* refusal_ = "";
  bool prefills_ = false;
  bool names_in_paging_ = true;
};

/// DxgkCbGetHandleData of the running session: null for a handle that names nothing.
[[nodiscard]] PVOID handle_data(const DXGKARGCB_GETHANDLEDATA& args);

}  // namespace wddm::host
