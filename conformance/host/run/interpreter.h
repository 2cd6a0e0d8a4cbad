// Carries out the ops of a scenario, one after the other, on the application thread.
//
// Every op is total: on an empty slot, in an occupied one, or before the adapter runs, it is a
// no-op that says why. Bring-up and tear-down are implicit where no op names them.
#pragma once

#include <span>

#include "conformance/host/run/world.h"
#include "reference/trace/op.h"

namespace wddm::host {

/// Runs `configuration` and then `ops`, brings everything to rest and tears down. False if the
/// system has stopped before that: what is left then is no leak.
bool interpret(World& world, std::span<const Op> configuration, std::span<const Op> ops);

/// Writes a configuration value to the registry that the driver reads.
void write_setting(const Op& op);

}  // namespace wddm::host
