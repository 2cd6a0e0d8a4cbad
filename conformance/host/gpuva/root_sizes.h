// What the driver says of the size of a root: DxgkDdiGetRootPageTableSize, for two levels alone
// (ROOT-001).
#pragma once

#include "conformance/host/adapter/adapter.h"
#include "reference/gpummu/geometry.h"

namespace wddm::host {

/// The answer for a root with so many entries.
[[nodiscard]] gpummu::RootPageTableSize root_size(const Adapter& adapter, std::uint32_t entries);
/// What Windows asks as a process grows, from one entry to all there can be. Rules judge the
/// answers.
void ask_for_root_sizes(const Adapter& adapter, const gpummu::Geometry& geometry);

}  // namespace wddm::host
