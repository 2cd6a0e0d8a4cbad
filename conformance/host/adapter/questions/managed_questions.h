// Questions whose answers follow from capabilities: power components, what IOMMU isolation needs to
// know, and ranges of memory that are broken.
#pragma once

#include "conformance/host/adapter/adapter.h"

namespace wddm::host {

/// The adapter runs.
void ask_managed(const Adapter& adapter);

}  // namespace wddm::host
