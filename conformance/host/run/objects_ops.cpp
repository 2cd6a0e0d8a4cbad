// Devices, contexts and allocations.
#include "conformance/host/run/op_handlers.h"

namespace wddm::host::ops {

void create_device(ScenarioRun& run, const Op& op) {
  if (!run.world().objects.create_device(op.a)) {
    run.skip(op, "the slot is in use or the driver refused");
  }
}

void destroy_device(ScenarioRun& run, const Op& op) {
  run.idle();
  if (!run.world().objects.device(op.a).live) return run.skip(op, "no such device");
  run.destroy_device(op.a);
}

void create_context(ScenarioRun& run, const Op& op) {
  if (!run.world().objects.create_context(op.a, op.b, engine_at(op.c))) {
    run.skip(op, "the slot is in use or the driver refused");
  }
}

void destroy_context(ScenarioRun& run, const Op& op) {
  run.idle();
  if (!run.world().objects.context(op.a).live) return run.skip(op, "no such context");
  run.world().vidsch.forget_context(op.a);
  run.world().objects.destroy_context(op.a);
}

void create_allocation(ScenarioRun& run, const Op& op) {
  World& world = run.world();
  if (!world.objects.create_allocation(op.a, 0, op.x, static_cast<Place>(op.b), op.c != 0)) {
    run.skip(op, "the slot is in use or the driver refused");
  } else if (!world.vidmm.allocation_created(op.a)) {
    world.objects.destroy_allocation(op.a);
    run.skip(op, "VidMm refuses the allocation: it could never be resident, or there are too many");
  }
}

void destroy_allocation(ScenarioRun& run, const Op& op) {
  run.idle();
  if (!run.world().objects.allocation(op.a).live) return run.skip(op, "no such allocation");
  run.destroy_allocation(op.a);
}

}  // namespace wddm::host::ops
