// What a driver says of its GPU MMU: DXGKQAITYPE_GPUMMUCAPS, and DXGKQAITYPE_PAGETABLELEVELDESC for
// each level of its page tables. Asked as Dxgkrnl asks, of physical adapters and levels that exist.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/host/interposer.h"
#include "reference/gpummu/geometry.h"

namespace wddm::host {

struct SegmentDescription;

struct GpuMmuReport {
  gpummu::GpuMmuCaps caps;
  std::vector<gpummu::PageTableLevelDesc> levels;  ///< from the leaf up; those that were answered
  std::optional<gpummu::Geometry> geometry;        ///< none: no address space can be made of it
};

/// Whom to ask.
struct LinkOfAdapters {
  PVOID miniport = nullptr;
  std::uint32_t physical_adapters = 1;
};

/// Asks, and records each answer as of `round`. Nothing where the driver refuses the caps.
[[nodiscard]] std::optional<GpuMmuReport> query_gpummu(
    const LinkOfAdapters& link, gpummu::PhysicalAdapterIndex physical_adapter,
    std::span<const SegmentDescription> segments, std::uint32_t round);

/// What stands for the page tables that an IOMMU shares with the CPU: of four levels, in system
/// memory, with what those of a CPU permit.
[[nodiscard]] GpuMmuReport tables_of_the_cpu();

}  // namespace wddm::host
