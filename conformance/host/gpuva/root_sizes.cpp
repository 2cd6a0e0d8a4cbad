#include "conformance/host/gpuva/root_sizes.h"

#include <algorithm>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/session.h"

namespace wddm::host {

gpummu::RootPageTableSize root_size(const Adapter& adapter, std::uint32_t entries) {
  DXGKARG_GETROOTPAGETABLESIZE args{};
  args.NumberOfPte = entries;
  const auto bytes = call_ddi<DdiId::GetRootPageTableSize>(kNone, adapter.miniport(), &args);
  session().tap(ev::RootSizeReported{.bytes = bytes,
                                     .physical_adapter = args.PhysicalAdapterIndex,
                                     .asked = entries,
                                     .answered = args.NumberOfPte});
  return {.bytes = bytes, .number_of_pte = args.NumberOfPte};
}

void ask_for_root_sizes(const Adapter& adapter, const gpummu::Geometry& geometry) {
  const std::uint32_t most = geometry.entries(geometry.root_level());
  const std::uint32_t fits_one = root_size(adapter, 1).number_of_pte;
  if (fits_one > 1) static_cast<void>(root_size(adapter, std::min(fits_one, most)));
  if (fits_one < most) static_cast<void>(root_size(adapter, fits_one + 1));
  static_cast<void>(root_size(adapter, most));
  static_cast<void>(root_size(adapter, 1));
}

}  // namespace wddm::host
