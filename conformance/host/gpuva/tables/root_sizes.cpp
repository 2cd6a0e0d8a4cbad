#include "conformance/host/gpuva/tables/root_sizes.h"

#include <algorithm>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/session.h"

namespace wddm::host {

gpummu::RootPageTableSize root_size(const Adapter& adapter, std::uint32_t entries,
                                    std::uint32_t physical_adapter) {
  DXGKARG_GETROOTPAGETABLESIZE args{};
  args.PhysicalAdapterIndex = physical_adapter;
  args.NumberOfPte = entries;
  const auto bytes = call_ddi<DdiId::GetRootPageTableSize>(kNone, adapter.miniport(), &args);
  session().tap(ev::RootSizeReported{.bytes = bytes,
                                     .physical_adapter = args.PhysicalAdapterIndex,
                                     .asked = entries,
                                     .answered = args.NumberOfPte});
  return {.bytes = bytes, .number_of_pte = args.NumberOfPte};
}

std::optional<gpummu::RootPageTableSize> usable_root(const Adapter& adapter,
                                                     const TablePlaces& places,
                                                     const TableShape& root, std::uint32_t entries,
                                                     std::uint64_t most) {
  if (!may_call(DdiId::GetRootPageTableSize)) return std::nullopt;
  const gpummu::RootPageTableSize size = root_size(adapter, entries);
  if (gpummu::check_root_size(entries, size, kPageSize)) return std::nullopt;
  if (size.bytes > most) return std::nullopt;
  TableShape wanted = root;
  wanted.pages = static_cast<std::uint32_t>(pages_of(size.bytes));
  if (!places.has_room(wanted)) return std::nullopt;
  return size;
}

void ask_for_root_sizes(const Adapter& adapter, const gpummu::Geometry& geometry) {
  const std::uint32_t most = geometry.entries(geometry.root_level());
  for (std::uint32_t gpu = 0; gpu < adapter.physical_adapters(); ++gpu) {
    const auto ask = [&](std::uint32_t entries) { return root_size(adapter, entries, gpu); };
    const std::uint32_t fits_one = ask(1).number_of_pte;
    if (fits_one > 1) static_cast<void>(ask(std::min(fits_one, most)));
    if (fits_one < most) static_cast<void>(ask(fits_one + 1));
    static_cast<void>(ask(most));
    static_cast<void>(ask(1));
  }
}

}  // namespace wddm::host
