// Which commands of a buffer must fault, by the addresses that its process has.
#pragma once

#include "conformance/host/gpuva/allocation_addresses.h"
#include "conformance/host/vidmm/paging/paging_operations.h"
#include "conformance/host/vidsch/queued_packet.h"
#include "reference/gpummu/address_space.h"

namespace wddm::host {

/// Whether an address that commands of the buffer use was given to another allocation since they
/// were built: what they do would be anyone's guess.
[[nodiscard]] bool uses_addresses_of_others(const AllocationAddresses& addresses, ProcessId process,
                                            const RenderBuffer& buffer);

/// Notes in the buffer what it cannot reach, and whether a command would. Nothing is said of
/// buffers that user mode has altered.
void tell_out_of_reach(const AllocationAddresses& addresses, ProcessId process,
                       const PagingScene& scene, RenderBuffer& buffer);

/// Of a buffer that must fault, records which accesses do, and at which level of the tables of its
/// process (null: it has none). Which of them a driver reports is its own matter, so that nothing
/// is recorded where they are too many to say.
void foretell_faults(const AllocationAddresses& addresses, ProcessId process,
                     const PagingScene& scene, const gpummu::AddressSpace* space,
                     const RenderBuffer& buffer);

}  // namespace wddm::host
