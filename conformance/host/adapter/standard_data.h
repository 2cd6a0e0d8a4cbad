// The surfaces that Dxgkrnl itself creates, as it asks drivers for their private data.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/host/adapter/adapter.h"

namespace wddm::host {

/// Small, with one page a row, and as high as this.
struct StandardSurface {
  std::uint32_t type = 0;  ///< D3DKMDT_STANDARDALLOCATION_TYPE
  std::uint32_t rows = 4;
};

struct StandardData {
  std::vector<std::uint8_t> allocation;
  std::vector<std::uint8_t> resource;
};

/// Whether Dxgkrnl asks this driver for surfaces of the type.
[[nodiscard]] bool asks_for(const Adapter& adapter, std::uint32_t type);
/// Asks for the sizes, then for the data, and tells both. False if the driver has none.
bool ask_standard_data(const Adapter& adapter, StandardSurface surface, StandardData& out);

}  // namespace wddm::host
