// What the host itself has in the address space of every process: the page that commands leave
// their mark in, and a ring for command buffers.
//
// In the range that the driver names for this (MCDM-019). Without one the page is the lowest, so
// that a small root covers what small scenarios use, and the ring lies out of the way of addresses
// that differ from the first in one bit.
#pragma once

#include <d3dkmddi.h>

#include "reference/gpummu/geometry.h"

namespace wddm::host {

struct OwnAddresses {
  gpummu::GpuVirtualAddress marker{};
  gpummu::VaRange commands;  ///< the root covers that much from its start on
};

[[nodiscard]] OwnAddresses own_addresses(const gpummu::Geometry& geometry,
                                         const DXGK_DRIVERCAPS& caps);

}  // namespace wddm::host
