// Work for every node that the driver has, whatever number that is: a scenario that names nodes
// knows how many there are, and what it does not name is never used.
#pragma once

#include "conformance/host/run/scenario_run.h"

namespace wddm::host {

/// The op each_node. Contexts, and devices where it leaves work behind, lie in the last slots in
/// which there is none.
void give_each_node_work(ScenarioRun& run, const Op& op);

}  // namespace wddm::host
