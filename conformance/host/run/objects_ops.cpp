// Devices, contexts and allocations.
#include "conformance/host/adapter/small_resources.h"
#include "conformance/host/run/op_handlers.h"

namespace wddm::host::ops {

void create_device(ScenarioRun& run, const Op& op) {
  if (!run.has_or_skip(op, {DdiId::CreateDevice})) return;
  if (!run.create_device(DeviceId{op.a}, ProcessId{op.b})) {
    run.skip(op, "the slot is in use or the driver refused");
  }
}

void destroy_device(ScenarioRun& run, const Op& op) {
  const DeviceId id{op.a};
  run.idle();
  if (!run.world().objects.device(id).live) return run.skip(op, "no such device");
  run.destroy_device(id);
}

void create_context(ScenarioRun& run, const Op& op) {
  if (!run.has_or_skip(op, {DdiId::CreateContext})) return;
  EngineId engine = engine_at(op.c);
  engine.physical_adapter = run.world().choices.physical_adapter;
  if (!run.world().objects.create_context(ContextId{op.a}, DeviceId{op.b}, engine)) {
    return run.skip(op, "the slot is in use or the driver refused");
  }
  run.world().vidmm.enqueue_context(ContextId{op.a});
}

void destroy_context(ScenarioRun& run, const Op& op) {
  const ContextId id{op.a};
  run.idle();
  if (!run.world().objects.context(id).live) return run.skip(op, "no such context");
  run.forget_context(id);
  run.world().objects.destroy_context(id);
}

void create_allocation(ScenarioRun& run, const Op& op) {
  const AllocationId id{op.a};
  World& world = run.world();
  if (!run.has_or_skip(op, {DdiId::CreateAllocation, DdiId::OpenAllocation})) return;
  // Without a client the driver is asked for the private data.
  if (world.objects.client() == nullptr &&
      !run.has_or_skip(op, {DdiId::GetStandardAllocationDriverData})) {
    return;
  }
  if (!world.objects.create_allocation(id, DeviceId{op.y}, op.x, static_cast<Place>(op.b),
                                       op.c != 0)) {
    run.skip(op, "the slot is in use, there is no aperture, or the driver refused");
  } else if (!world.vidmm.allocation_created(id)) {
    world.objects.destroy_allocation(id);
    run.skip(op, "VidMm refuses the allocation: it could never be resident, or there are too many");
  }
}

void destroy_allocation(ScenarioRun& run, const Op& op) {
  const AllocationId id{op.a};
  run.idle();
  if (!run.world().objects.allocation(id).live) return run.skip(op, "no such allocation");
  run.destroy_allocation(id);
}

void small_resources(ScenarioRun& run, const Op& op) {
  place_small_resources(run.world().adapter, run.world().objects, op.x, op.y);
}

}  // namespace wddm::host::ops
