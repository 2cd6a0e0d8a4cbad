// How a driver describes what a client may ask for: small and large, in each segment, in reach of
// the CPU or not. Nothing is made of these allocations: they go at once.
#pragma once

#include "conformance/host/adapter/objects/objects.h"

namespace wddm::host {

/// Each is told of by ev::ShapeDescribed. What client or driver refuse is left out.
void describe_shapes(const Adapter& adapter, Objects& objects);

}  // namespace wddm::host
