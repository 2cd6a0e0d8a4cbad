// The four calls in which allocations of scenarios come and go: one allocation a call, or all that
// are made together.
//
// The object of a call is the first of its allocations; the others of a DestroyAllocation lie in
// the slots right behind it.
#pragma once

#include <span>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"

namespace wddm::host {

/// An allocation of a call, by its slot, with the data that go to the driver. Those of the resource
/// are what the first of them has.
struct AllocationInCall {
  AllocationId id;
  PrivateData* data;
};

/// AllocationCreated::has_handle and AllocationOpened::has_handle of each.
[[nodiscard]] std::vector<std::uint32_t> judged_handles(std::span<const HANDLE> handles);

/// `infos` has one for each. `resource`: what the driver calls theirs, if they are of one.
NTSTATUS call_create(const Adapter& adapter, std::span<const AllocationInCall> all,
                     bool of_resource, bool prefills, std::span<DXGK_ALLOCATIONINFO> infos,
                     HANDLE& resource);
/// What the device calls each of them, null where the driver has left that out; empty if it
/// refuses. `first`: they were just created for it.
[[nodiscard]] std::vector<HANDLE> call_open(const Objects& objects, DeviceId device,
                                            std::span<const AllocationInCall> all, bool first);
/// Of the handles those that are not null.
void call_close(const Objects& objects, DeviceId device, AllocationId first,
                std::vector<HANDLE> handles);
/// `resource`: what the driver calls it, which it may change; it goes too if `with_resource`.
void call_destroy(const Adapter& adapter, AllocationId first, std::span<const HANDLE> drivers,
                  HANDLE& resource, bool with_resource);

}  // namespace wddm::host
