// Lowering the IRQL on a driver's behalf. Internal to the kernel.
#pragma once

#include <cstdint>

#include "conformance/host/nt/core/service.h"

namespace wddm::nt {

/// Goes back to `irql`, with findings for a level above the present one and for spin locks still
/// held below DISPATCH_LEVEL. Takes what became deliverable; a yield point.
void irql_restore(const Service& service, std::uint8_t irql);

}  // namespace wddm::nt
