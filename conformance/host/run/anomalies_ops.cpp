// What fails, and who comes first, during the next op; and hostile user mode outside of Render.
#include "conformance/host/adapter/objects/hostile_data.h"
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
  if (!run.world().objects.device(kNeighbourDevice).live) {
    if (const char* const why = run.create_device(kNeighbourDevice, kNeighbourProcess)) {
      return run.skip(op, why);
    }
  }
  run.neighbour().invite(op.x);
  run.schedule().begin(Policy::Random, op.z);
  nt::set_policy(&run.schedule());
  nt::let_services_yield(true);
}

void hostile_data(ScenarioRun& run, const Op& op) {
  World& world = run.world();
  run.idle();
  if (!world.adapter.running()) return;
  const char* const why = try_hostile_data(world.adapter, world.objects,
                                           {.data = static_cast<DataOf>(op.a),
                                            .cut = op.x,
                                            .change = op.b != 0,
                                            .offset = op.y / 4 * 4,
                                            .value = op.z,
                                            .flip = op.c != 0});
  if (why != nullptr) run.skip(op, why);
}

}  // namespace wddm::host::ops
