// Which segment a scenario means by the role of a place: it knows no driver's list.
#pragma once

#include "conformance/host/vidmm/residency_in_effect.h"
#include "reference/trace/op.h"

namespace wddm::host {

/// The first segment of that role in the driver's list in which an allocation of the scenario lies,
/// or the first at all: a driver may list one that no allocation is for. Without memory segments
/// all that allocations are asked to be local in are apertures, and so is what `Local` means.
/// kNoSegment: it has none.
[[nodiscard]] SegmentId segment_of(const Residency& residency, Place role);
/// Why there is none.
[[nodiscard]] const char* no_segment(Place role);
[[nodiscard]] bool has_memory_segment(const Residency& residency);

}  // namespace wddm::host
