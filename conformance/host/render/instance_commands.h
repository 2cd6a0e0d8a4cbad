// What user mode makes of commands that name instances of renamed allocations.
#pragma once

#include <vector>

#include "reference/gpu/command.h"
#include "reference/vidmm/instances.h"

namespace wddm::host {

/// The commands as user mode may give them: where a newer instance is bound, older ones are
/// released from their slots, and none of those is bound any more. A client thus knows nothing of
/// instances, and a driver that keeps the order of what it is given names them in order.
[[nodiscard]] std::vector<gpu::Command> in_order_of_instances(std::vector<gpu::Command> commands,
                                                              vidmm::Instances instances);

}  // namespace wddm::host
