// Entry points that have nothing to do on a device without children and displays: called as they
// may be, they must do no harm.
#pragma once

#include "conformance/host/adapter/adapter.h"

namespace wddm::host {

/// The adapter runs, and the GPU is idle.
void ask_port(const Adapter& adapter);
/// ResetDevice at every kind of IRQL. What the GPU does after it nobody knows.
void call_reset_device(const Adapter& adapter);

}  // namespace wddm::host
