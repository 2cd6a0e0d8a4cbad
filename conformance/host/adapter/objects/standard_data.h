// The surfaces that Dxgkrnl itself creates, as it asks drivers for their private data.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/host/adapter/adapter.h"

namespace wddm::host {

/// Small: of texels of 4 bytes, one page a row where nothing else is said.
struct StandardSurface {
  std::uint32_t type = 0;  ///< D3DKMDT_STANDARDALLOCATION_TYPE
  std::uint32_t rows = 4;
  std::uint32_t width = 1024;  ///< texels
  /// D3DKMDT_GDISURFACETYPE, of GDI's.
  std::uint32_t gdi_type = D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE;
};

inline constexpr std::uint32_t kTexelBytes = 4;

/// One that was made, as far as Dxgkrnl knows it.
struct SurfaceShape {
  std::uint32_t width = 0;  ///< texels
  std::uint32_t rows = 0;
  std::uint32_t pitch = 0;  ///< bytes, by the driver
};

/// What goes to the driver with an allocation and its resource.
struct PrivateData {
  std::vector<std::uint8_t> allocation;
  std::vector<std::uint8_t> resource;
};

/// Bytes that are others in two pieces of one size.
[[nodiscard]] std::uint32_t differences(const std::vector<std::uint8_t>& one,
                                        const std::vector<std::uint8_t>& other);

/// Whether Dxgkrnl asks this driver for surfaces of the type.
[[nodiscard]] bool asks_for(const Adapter& adapter, std::uint32_t type);
/// One of that type; a primary is of a mode that displays have.
[[nodiscard]] StandardSurface usual_surface(std::uint32_t type);
/// All that are asked for of the type, the usual one first: of GDI's also those that the CPU does
/// not see, and of pages that are there already. Left out are lookup tables, whose sizes no page
/// says, and what two adapters share; and surfaces of virtual GPUs, of which pages have the name.
[[nodiscard]] std::vector<StandardSurface> surfaces_of(std::uint32_t type);
/// Whether its pages are there before the allocation is, which comes with them: its data alone can
/// be asked for.
[[nodiscard]] bool has_pages_already(const StandardSurface& surface);
/// Asks for the sizes, then for the data, and tells both. False if the driver has none. `pitch`, if
/// it is not null, gets what the driver says of the rows.
bool ask_standard_data(const Adapter& adapter, const StandardSurface& surface, PrivateData& out,
                       std::uint32_t* pitch = nullptr);

}  // namespace wddm::host
