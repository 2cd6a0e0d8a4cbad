// The CPU host aperture of segments, before there is anything to map: what page tables are reached
// by from the start.
#pragma once

#include "conformance/host/adapter/adapter.h"

namespace wddm::host {

/// Maps scattered pages of each such segment, of each GPU of a link, without an allocation, writes
/// and reads through them, and unmaps them (HostApertureMapped); changes a part of what is mapped,
/// and looks at the rest (HostApertureChanged). Directly after the queries.
void try_host_apertures(const Adapter& adapter, Bus& bus, std::uint32_t processes);

}  // namespace wddm::host
