// Instances of an allocation that a lock with Discard has renamed (before WDDM 2.0).
//
// Sources: nc-d3dumddi-pfnd3dddi_lockcb.md # Remarks, requesting-to-rename-an-allocation.md. Left
// out: instances that VidMm uses again, and locks that find no memory for another.
#include "conformance/host/adapter/objects.h"
#include "conformance/host/boundary/session.h"

namespace wddm::host {

// To the driver it is the same allocation, paged in to one more place: neither CreateAllocation nor
// OpenAllocation is called, and its handles are what they were.
void Objects::rename_allocation(AllocationId id, AllocationId original, std::uint32_t instances) {
  AllocationObject& allocation = allocations_[id];
  allocation = allocations_[original];
  allocation.original = original;
  allocation.linear = false;
  allocation.forms.reset();
  memory::frames_allocate(allocation.frames, memory::FrameOwner::Allocation);
  sizes_[id] = allocation.bytes;
  session().tap(ev::AllocationRenamed{
      .allocation = id.value, .original = original.value, .instances = instances});
}

}  // namespace wddm::host
