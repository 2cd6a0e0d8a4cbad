// Allocations, which belong to the adapter, and their openings, which belong to a device.
#pragma once

#include "kmd_driver.h"
#include "settings.h"

namespace reference_kmd {

class Device;

// What Dxgkrnl calls a resource: only a name that allocations share.
class Resource : public KernelObject {};

// How texels lie; of an allocation that is no surface there are none.
struct SurfaceLayout {
  UINT width = 0;
  UINT height = 0;
  UINT pitch = 0;  // bytes
  UINT format = 0;
};

class Allocation : public PlacedObject {
 public:
  explicit Allocation(const UmdAllocationData& data) : data_(data) {}

  SIZE_T size() const { return ROUND_TO_PAGES(data_.size); }
  /// Tells Dxgkrnl what it needs to know about the allocation.
  void describe(DXGK_ALLOCATIONINFO* information, const AllocationRules& rules);
  void note_residency(bool resident, ULONGLONG address) override {
    resident_ = resident;
    address_ = resident ? address : 0;
  }
  /// It stands in tiles in video memory.
  bool is_swizzled() const { return swizzled_; }
  void describe_surface(DXGKARG_DESCRIBEALLOCATION* description) const;
  SurfaceLayout layout() const;

 private:
  const UmdAllocationData data_;
  bool resident_ = false;
  bool swizzled_ = false;
  ULONGLONG address_ = 0;
};

class OpenedAllocation : public KernelObject {
 public:
  OpenedAllocation(Device* device, Allocation* allocation)
      : device_(device), allocation_(allocation) {}
  Device* device() const { return device_; }
  SIZE_T size() const { return allocation_->size(); }
  SurfaceLayout layout() const { return allocation_->layout(); }

 private:
  Device* const device_;
  Allocation* const allocation_;
};

NTSTATUS create_allocations(DXGKARG_CREATEALLOCATION* request, const AllocationRules& rules);
void destroy_allocations(const DXGKARG_DESTROYALLOCATION& request);
NTSTATUS standard_allocation_data(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* request);

}  // namespace reference_kmd
