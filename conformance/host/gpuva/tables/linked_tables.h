// Page tables of a link: which links are played, and how often a table of one lies in memory.
//
// The roots of all GPUs lie at one address and hold the same (LDA-003). In the memory of GPUs that
// is one table for each. In system memory it is one for all: nothing else lies at its address. What
// its entries lead to lies at one address on all GPUs in turn, down to the leaf, where each GPU has
// entries of its own (LDA-004): so leaf tables have to lie in the memory of GPUs then.
//
// Where all directories lie in the memory of GPUs, those below the root may say of each GPU where
// its tables are: leaf tables in system memory have an address for each GPU.
//
// Left out: links whose GPUs have different tables, and shared tables that GPUs write: a packet of
// one could come late with what another has replaced.
#pragma once

#include <cstdint>

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/gpuva/tables/space_in_memory.h"
#include "reference/gpummu/geometry.h"

namespace wddm::host {

/// Null, or why no address space can be made; also null where there is no link.
[[nodiscard]] const char* cannot_link(const Adapter& adapter, const gpummu::Geometry& geometry);

/// How many GPUs have such a table in system memory for themselves; 1: it is one for all.
[[nodiscard]] std::uint32_t instances_in_system(const Adapter& adapter, const TableShape& shape);
/// On how many GPUs the table has memory of its own; 1: there is one, for all.
[[nodiscard]] std::uint32_t instances_of(const Adapter& adapter, const TablePlace& place);
/// Says in the trace that the table has moved, or is gone: of each instance in system memory.
void tell_moved(const SpaceInMemory& space, const TablePlace& from, const TablePlace& to,
                TableGone gone);

}  // namespace wddm::host
