// Allocations in system memory: which segment stands for it, by the driver's own word.
#pragma once

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/adapter/objects/objects.h"

namespace wddm::host {

/// A driver without one has no memory of the kind that a client would ask for.
[[nodiscard]] bool has_aperture(const Adapter& adapter);

/// With GPU virtual addresses what lies in an aperture is system memory, by page tables that name
/// it so. A driver that counts system memory as one more segment, behind the last that it reports,
/// means the same: that there is no such segment is ALLOC-002's to say, and what else the driver
/// does can be judged. Leaves alone what names no such segment.
void take_for_aperture(const Adapter& adapter, AllocationObject& allocation);

}  // namespace wddm::host
