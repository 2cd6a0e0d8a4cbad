// Page numbers made of GPU virtual addresses.
//
// Source: windows-driver-docs "GpuMmu model": the DDI counts GPU virtual addresses in 4 KiB pages,
// whatever the page size of a segment; clause VA-002.
#pragma once

#include <cstdint>

#include "reference/gpummu/address.h"
#include "reference/types.h"

namespace wddm::gpuva {

using gpummu::GpuVirtualAddress;
using gpummu::kPageSize64K;
using gpummu::kPagesPer64K;
using gpummu::VaRange;

constexpr bool is_multiple(std::uint64_t value, std::uint64_t unit) {
  return value % unit == 0;
}
constexpr bool is_multiple(GpuVirtualAddress address, std::uint64_t unit) {
  return is_multiple(address.value, unit);
}
constexpr std::uint64_t page_of(GpuVirtualAddress address) {
  return address.value / kPageSize;
}
constexpr GpuVirtualAddress address_of(std::uint64_t page) {
  return {page * kPageSize};
}

}  // namespace wddm::gpuva
