// What a driver is told between a reset of the adapter and its restart: which allocations are gone.
//
// Sources: "Thread Synchronization and TDR". Contents are lost, so that nothing is transferred, and
// what the driver writes into the buffer is not submitted. Left out: swizzling ranges, and drivers
// with GPU virtual addresses, of which the page says nothing.
#pragma once

#include "conformance/host/adapter/bus.h"
#include "conformance/host/vidmm/paging/paging_operations.h"

namespace wddm::host {

/// For each allocation that lay in a segment: a Transfer of size 0, or UnmapApertureSegment.
void call_clean_up(Adapter& adapter, const PagingScene& scene, memory::Frame dummy);

}  // namespace wddm::host
