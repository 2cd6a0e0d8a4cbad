// Names of the types of QueryAdapterInfo, for texts.
#pragma once

#include <cstdint>
#include <string>

namespace wddm::caps {

/// As the DDI spells it, "DXGKQAITYPE_GPUMMUCAPS"; "type 99" of a number without a name.
[[nodiscard]] std::string query_name(std::uint32_t type);

}  // namespace wddm::caps
