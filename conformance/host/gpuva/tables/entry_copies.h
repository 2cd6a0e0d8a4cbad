// Copies of entries from one page table to another (CopyPageTableEntries): which entries a copy may
// take, and what has come of it.
//
// A copy reads its source when it is executed. A paging companion maps pages so: the privileged
// space of its process has entries that lead there, and follow when the pages move ("Tile
// resources").
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "conformance/host/gpuva/tables/space_in_memory.h"

namespace wddm::host {

/// Entries of a table, and what address the first one stands for.
struct EntriesAt {
  const SpaceInMemory* space = nullptr;
  gpummu::TableId table{};
  std::uint32_t first = 0;
  gpummu::GpuVirtualAddress va{};
};

/// Those of the leaf table for `va` that say what an update wants to write; nothing if the space
/// has no such entries, or they cannot be copied.
[[nodiscard]] std::optional<EntriesAt> copyable(const SpaceInMemory& space,
                                                gpummu::GpuVirtualAddress va,
                                                const gpummu::UpdateEntries& update,
                                                std::span<const gpummu::Written> elements);

/// The copy has been executed: compares, and tells. `late`: entries of the source that an update
/// was still to write when the copy was built. `adapter`: whose tables they are.
void tell_copied(const EntriesAt& from, const EntriesAt& to, std::uint32_t count,
                 std::uint32_t late, gpummu::PhysicalAdapterIndex adapter);

}  // namespace wddm::host
