// Questions that come with a process or without one: a driver must not rely on hKmdProcessHandle.
#pragma once

#include "conformance/host/adapter/objects/objects.h"

namespace wddm::host {

/// QueryAdapterInfo of both kinds, Escape, and DescribeAllocation of what there is. The adapter
/// runs, and the GPU is idle.
void ask_processes(const Adapter& adapter, const Objects& objects, const Processes& processes);

}  // namespace wddm::host
