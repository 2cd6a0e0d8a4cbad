#include "conformance/host/gpuva/own_addresses.h"

#include <algorithm>

#include "conformance/host/boundary/decision_seat.h"
#include "reference/gpuva/internal_range.h"

namespace wddm::host {
namespace {

constexpr std::uint64_t kOwnUnit = gpummu::kPageSize64K;
constexpr std::uint64_t kMegabyte = 1u << 20;
// Null and what is near it is nobody's.
constexpr gpummu::GpuVirtualAddress kMarker{kOwnUnit};
// Between 8 MB and 16 MB behind the first allocation.
constexpr gpummu::VaRange kCommands{{9 * kMegabyte}, 7 * kMegabyte};
constexpr std::uint64_t kSmallSpace = 64 * kMegabyte;
// A root of fixed size costs nothing for addresses of more than 32 bits, and whoever keeps only
// those is found.
constexpr std::uint64_t k4GB = std::uint64_t{1} << 32;
constexpr std::uint64_t kLargeSpace = 2 * k4GB;

gpummu::VaRange commands_anywhere(const gpummu::Geometry& geometry) {
  const std::uint64_t all = geometry.space_bytes();
  if (all >= kLargeSpace && !geometry.root_is_resizable()) {
    return {{k4GB + kCommands.first.value}, kCommands.bytes};
  }
  if (all >= kSmallSpace) return kCommands;
  const std::uint64_t first = all / 4 * 3 / kOwnUnit * kOwnUnit;
  return {{first}, all - first};
}

}  // namespace

OwnAddresses own_addresses(const gpummu::Geometry& geometry, const DXGK_DRIVERCAPS& caps) {
  const auto range =
      gpuva::internal_range(caps.InternalGpuVirtualAddressRangeStart,
                            caps.InternalGpuVirtualAddressRangeEnd, geometry.space_bytes());
  if (!range || decisions().commits(OracleFault::InternalRangeIgnored)) {
    return {kMarker, commands_anywhere(geometry)};
  }
  return {range->first,
          {{range->first.value + kOwnUnit}, std::min(range->bytes - kOwnUnit, kCommands.bytes)}};
}

}  // namespace wddm::host
