// A call of Render whose output goes nowhere: a client of another process is in the driver beside
// what the scenario renders (threading-and-synchronization-zero-level.md).
#pragma once

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/addressing/addressing.h"

namespace wddm::host {

/// Of work without allocations. Nothing without a client, or where Render is not called.
void render_in_vain(const Adapter& adapter, const Objects& objects, const Addressing& addressing,
                    ContextId id);

}  // namespace wddm::host
