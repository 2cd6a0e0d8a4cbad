// What a driver is asked that nothing is made of: clauses judge the answers.
//
// Capabilities over a buffer of other bytes, nodes, segments with room between their descriptors,
// queries of all drivers and those that a driver which only computes must refuse, children,
// standard allocations, power components, clocks, escapes, what ports are asked, and an interrupt
// of another device on the line. Asked is what Dxgkrnl or a newer one could ask: the sizes are
// those of the documents, and only what user mode chooses is too short; with prefill all is.
#pragma once

#include "conformance/host/adapter/objects/objects.h"

namespace wddm::host {

/// The adapter runs, and the GPU is idle.
void interview(Adapter& adapter, const Objects& objects, const Processes& processes);

}  // namespace wddm::host
