// What the driver says of the size of a root: DxgkDdiGetRootPageTableSize, for two levels alone
// (ROOT-001).
#pragma once

#include <optional>

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/gpuva/tables/table_places.h"
#include "reference/gpummu/geometry.h"

namespace wddm::host {

/// The answer for a root with so many entries.
[[nodiscard]] gpummu::RootPageTableSize root_size(const Adapter& adapter, std::uint32_t entries,
                                                  std::uint32_t physical_adapter = 0);
/// The same, for a root in the place of another; nothing if the answer is of no use or above `most`
/// bytes, or there is no memory for such a root.
[[nodiscard]] std::optional<gpummu::RootPageTableSize> usable_root(const Adapter& adapter,
                                                                   const TablePlaces& places,
                                                                   const TableShape& root,
                                                                   std::uint32_t entries,
                                                                   std::uint64_t most);
/// What Windows asks as a process grows, from one entry to all there can be. Rules judge the
/// answers.
void ask_for_root_sizes(const Adapter& adapter, const gpummu::Geometry& geometry);

}  // namespace wddm::host
