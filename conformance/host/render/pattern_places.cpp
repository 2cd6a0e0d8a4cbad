#include "conformance/host/render/pattern_places.h"

#include "conformance/host/vidmm/vidmm_worker.h"

namespace wddm::host {

bool PatternPlaces::write(AllocationId id, const Repertoire& repertoire) {
  bool visible = true;
  repertoire.write_constants([&](std::uint32_t offset, std::uint32_t value) {
    visible = visible && memory_.cpu_write(id, offset, value);
  });
  // Where it lies in a memory segment it would be filled with zeros else.
  if (visible) vidmm_.cpu_wrote(id);
  return visible;
}

AllocationId PatternPlaces::own_of(DeviceId device, const Repertoire& repertoire) {
  AllocationId& own = own_[device];
  if (own == kNoAllocation || !serves(device, own)) own = make(device, repertoire);
  return own;
}

// What a scenario has put into the slot since holds other words: memory is predicted from what is
// copied, whatever that is. Where it was renamed, or an instance lies there, user mode may not name
// it any more.
bool PatternPlaces::serves(DeviceId device, AllocationId id) const {
  return objects_.allocation(id).live && objects_.handle_on(device, id) != nullptr &&
         objects_.allocation(id).bytes >= kPageSize && vidmm_.instances().count_of(id) == 1;
}

AllocationId PatternPlaces::make(DeviceId device, const Repertoire& repertoire) {
  for (std::uint32_t slot = kSlots; slot-- > 0;) {
    const AllocationId id{slot};
    if (objects_.allocation(id).live) continue;
    if (!objects_.create_allocation(id, device, 1, Place::Aperture, true) &&
        !objects_.create_allocation(id, device, 1, Place::Any, true)) {
      return kNoAllocation;
    }
    if (!vidmm_.allocation_created(id)) {
      objects_.destroy_allocation(id);
      return kNoAllocation;
    }
    write(id, repertoire);  // it lies in system memory yet
    return id;
  }
  return kNoAllocation;
}

}  // namespace wddm::host
