// Which commands of a buffer must fault, by the addresses that its process has.
#pragma once

#include "conformance/host/gpuva/allocation_addresses.h"
#include "conformance/host/vidmm/paging_operations.h"
#include "conformance/host/vidsch/queued_packet.h"

namespace wddm::host {

/// Notes in the buffer what it cannot reach, and whether a command would. Nothing is said of
/// buffers that user mode has altered.
void tell_out_of_reach(const AllocationAddresses& addresses, ProcessId process,
                       const PagingScene& scene, RenderBuffer& buffer);

}  // namespace wddm::host
