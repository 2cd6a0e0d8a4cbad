// The version of Windows that a driver is told.
#pragma once

#include "conformance/host/nt/core/ddi_types.h"

namespace wddm::nt {

/// Of the run at hand; kWindows unless somebody has set another.
[[nodiscard]] WindowsVersion windows_version();
void set_windows_version(const WindowsVersion& version);

}  // namespace wddm::nt
