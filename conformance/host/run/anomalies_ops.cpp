// What fails, and who comes first, during the next op.
#include "conformance/host/run/op_handlers.h"

namespace wddm::host::ops {

void fail_pool(ScenarioRun&, const Op& op) {
  nt::fail_pool(op.x, op.a != 0);
}

void fail_callback(ScenarioRun&, const Op& op) {
  session().callback_failure.arm(static_cast<FallibleCallback>(op.a), op.x, op.b != 0);
}

void schedule(ScenarioRun& run, const Op& op) {
  const auto policy = static_cast<Policy>(op.a);
  run.schedule().begin(policy, op.x);
  nt::set_policy(policy == Policy::FirstCome ? nullptr : &run.schedule());
}

void neighbour(ScenarioRun& run, const Op& op) {
  if (!run.has_or_skip(op, {DdiId::CreateDevice})) return;
  if (!run.world().objects.device(kNeighbourDevice).live &&
      !run.create_device(kNeighbourDevice, kNeighbourProcess)) {
    return run.skip(op, "the driver refused a device");
  }
  run.neighbour().invite(op.x);
  run.schedule().begin(Policy::Random, op.z);
  nt::set_policy(&run.schedule());
  nt::let_services_yield(true);
}

}  // namespace wddm::host::ops
