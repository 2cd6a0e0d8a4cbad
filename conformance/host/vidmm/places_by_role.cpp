#include "conformance/host/vidmm/places_by_role.h"

namespace wddm::host {

SegmentId segment_of(const Residency& residency, Place role) {
  if (role == Place::Local && !has_memory_segment(residency)) role = Place::Any;
  SegmentId first = kNoSegment;
  for (const SegmentId segment : residency.segments()) {
    if (role != Place::Any && residency.is_aperture(segment) != (role == Place::Aperture)) continue;
    if (first == kNoSegment) first = segment;
    for (const AllocationId id : kScenarioAllocations) {
      if (residency.planned(id).segment == segment) return segment;
    }
  }
  return first;
}

const char* no_segment(Place role) {
  return role == Place::Aperture ? "the driver has no aperture segment"
                                 : "the driver has no segment";
}

bool has_memory_segment(const Residency& residency) {
  for (const SegmentId segment : residency.segments()) {
    if (!residency.is_aperture(segment)) return true;
  }
  return false;
}

}  // namespace wddm::host
