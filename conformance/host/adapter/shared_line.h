// The interrupt line as others use it.
#pragma once

#include "conformance/host/adapter/adapter.h"

namespace wddm::host {

/// Somebody else on the line: the routine is called, and this device asks for nothing. One that has
/// messages shares nothing, and does not show it before its first interrupt.
void share_the_line(Adapter& adapter);

}  // namespace wddm::host
