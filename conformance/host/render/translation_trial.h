// Command buffers for a device of a driver without contexts, which itself says how large a DMA
// buffer is (DXGK_DEVICEINFO): Render is called with ever more commands, in the room that it asked
// for, beside what scenarios render there: commands of one binding, and commands that each have one
// of their own. Nothing of it is submitted.
#pragma once

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/addressing/addressing.h"

namespace wddm::host {

/// Nothing where contexts are made, or without a client.
void try_translations(const Adapter& adapter, const Objects& objects, const Addressing& addressing);

}  // namespace wddm::host
