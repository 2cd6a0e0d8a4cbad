// Entries of page tables that lead to tables of a driver's own, by what it has reserved.
//
// A reservation is in multiples of what a leaf table covers, so they are entries of level 1. VidMm
// writes them as invalid whenever their table becomes resident, and leaves them alone otherwise.
// Source: DxgkCbReserveGpuVirtualAddressRange # Remarks.
#pragma once

#include <span>
#include <vector>

#include "conformance/host/gpuva/tables/space_in_memory.h"

namespace wddm::host {

/// Those of a table that has a place.
[[nodiscard]] std::vector<EntryRange> drivers_own(const SpaceInMemory& space, gpummu::TableId table,
                                                  std::span<const gpummu::VaRange> reserved);
/// What makes these invalid.
[[nodiscard]] gpummu::UpdateEntries reset_of(const SpaceInMemory& space, gpummu::TableId table,
                                             const EntryRange& entries);

}  // namespace wddm::host
