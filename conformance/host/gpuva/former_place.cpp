#include "conformance/host/gpuva/former_place.h"

#include <cstring>
#include <utility>

#include "conformance/host/boundary/session.h"

namespace wddm::host {
namespace {

constexpr std::uint8_t kNobodys = 0xEB;

}  // namespace

FormerPlace::FormerPlace(TablePlaces& places, TablePlace place, std::uint32_t physical_adapter)
    : places_(places), place_(std::move(place)), physical_adapter_(physical_adapter) {
  std::uint8_t* const bytes = places_.cpu_address(place_, physical_adapter_);
  if (bytes != nullptr) std::memset(bytes, kNobodys, place_.pages * kPageSize);
}

void FormerPlace::look(std::uint32_t number, std::uint32_t context, Occasion occasion) const {
  const std::uint8_t* const bytes = places_.cpu_address(place_, physical_adapter_);
  if (bytes == nullptr) return;
  ev::FormerPlaceLooked seen{
      .number = number, .context = context, .at = static_cast<std::uint32_t>(occasion)};
  for (std::uint32_t i = 0; i < place_.pages * kPageSize; ++i) {
    if (bytes[i] == kNobodys) continue;
    if (seen.changed++ == 0) seen.first = i;
  }
  session().tap(seen);
}

}  // namespace wddm::host
