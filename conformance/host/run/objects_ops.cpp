// Devices, contexts and allocations.
#include <algorithm>

#include "conformance/host/adapter/objects/small_resources.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/gpuva/virtual_memory.h"
#include "conformance/host/run/op_handlers.h"
#include "conformance/host/vidmm/requests.h"

namespace wddm::host::ops {

void create_device(ScenarioRun& run, const Op& op) {
  if (!run.has_or_skip(op, {DdiId::CreateDevice})) return;
  if (const char* const why = run.create_device(DeviceId{op.a}, ProcessId{op.b})) {
    run.skip(op, why);
  }
}

void destroy_device(ScenarioRun& run, const Op& op) {
  const DeviceId id{op.a};
  run.idle();
  if (!run.world().objects.device(id).live) return run.skip(op, "no such device");
  run.destroy_device(id);
}

void create_context(ScenarioRun& run, const Op& op) {
  const bool asks = run.world().adapter.has_contexts();
  if (asks && !run.has_or_skip(op, {DdiId::CreateContext})) return;
  const EngineId engine = chosen_engine(run, op.c);
  const ContextUse use = op.x != 0 ? ContextUse::WithheldData : ContextUse::Client;
  if (!run.world().objects.contexts().create(ContextId{op.a}, DeviceId{op.b}, engine, use)) {
    return run.skip(op, run.world().objects.contexts().refusal());
  }
  run.world().vidmm.enqueue_context(ContextId{op.a});
}

// The feature is asked for while nothing runs.
void create_test_context(ScenarioRun& run, const Op& op) {
  if (!run.has_or_skip(op, {DdiId::CreateContext})) return;
  World& world = run.world();
  const EngineId engine = chosen_engine(run, op.c);
  if (!world.adapter.has(engine)) return run.skip(op, "no such node");
  run.idle();
  if (const char* const why = world.test_commands.feature().missing_on(engine)) {
    return run.skip(op, why);
  }
  if (!world.objects.contexts().create(ContextId{op.a}, DeviceId{op.b}, engine, ContextUse::Test)) {
    return run.skip(op, world.objects.contexts().refusal());
  }
  world.vidmm.enqueue_context(ContextId{op.a});
}

void destroy_context(ScenarioRun& run, const Op& op) {
  const ContextId id{op.a};
  run.idle();
  if (!run.world().objects.context(id).live) return run.skip(op, "no such context");
  run.forget_context(id);
  run.world().objects.contexts().destroy(id);
}

namespace {

// Whether VidMm takes all of them: else it knows none of them.
bool vidmm_takes(World& world, AllocationId first, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (world.vidmm.allocation_created(AllocationId{first.value + i})) continue;
    while (i-- != 0) {
      world.memory.forget(AllocationId{first.value + i});
      world.residency.forget(AllocationId{first.value + i});
    }
    return false;
  }
  return true;
}

}  // namespace

// Of a resource that would go on behind the last slot there is less.
void create_allocation(ScenarioRun& run, const Op& op) {
  const AllocationId id{op.a};
  World& world = run.world();
  if (!run.has_or_skip(op, {DdiId::CreateAllocation, DdiId::OpenAllocation})) return;
  // Without a client the driver is asked for the private data.
  if (world.objects.client() == nullptr &&
      !run.has_or_skip(op, {DdiId::GetStandardAllocationDriverData})) {
    return;
  }
  if (op.z >= world.adapter.physical_adapters()) {
    return run.skip(op, "no so many adapters are linked");
  }
  if (!world.adapter.memory_is_alike(op.z)) {
    return run.skip(op, "the GPUs of the link do not have the same segments");
  }
  const std::uint32_t count = std::min(world.choices.together, kSlots - id.value);
  if (!world.objects.create_allocation(id, DeviceId{op.y}, op.x, static_cast<Place>(op.b),
                                       op.c != 0, op.z, world.choices.share, count)) {
    run.skip(op, world.objects.refusal());
  } else if (!vidmm_takes(world, id, count)) {
    world.objects.destroy_allocation(id);
    run.skip(op, world.vidmm.refusal().c_str());
  }
}

// From WDDM 2.0 on a primary has no alternate view, for which it is made here.
void create_primary(ScenarioRun& run, const Op& op) {
  const AllocationId id{op.a};
  World& world = run.world();
  if (!run.has_or_skip(op, {DdiId::GetStandardAllocationDriverData, DdiId::CreateAllocation,
                            DdiId::OpenAllocation})) {
    return;
  }
  if (Adapter::knows(InterfaceVersion::Wddm2_0)) return run.skip(op, "the driver is one of WDDM 2");
  if (world.adapter.sources() == 0) return run.skip(op, "the driver has no display: no primary");
  if (!world.objects.create_primary(id, op.x)) {
    run.skip(op, world.objects.refusal());
  } else if (!world.vidmm.allocation_created(id)) {
    world.objects.destroy_allocation(id);
    run.skip(op, world.vidmm.refusal().c_str());
  }
}

void create_surface(ScenarioRun& run, const Op& op) {
  const AllocationId id{op.a};
  World& world = run.world();
  if (!run.has_or_skip(op, {DdiId::Present, DdiId::GetStandardAllocationDriverData,
                            DdiId::CreateAllocation, DdiId::OpenAllocation})) {
    return;
  }
  const StandardSurface surface{D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE, op.x, op.y};
  if (!world.objects.create_surface(id, surface)) {
    run.skip(op, world.objects.refusal());
  } else if (!world.vidmm.allocation_created(id)) {
    world.objects.destroy_allocation(id);
    run.skip(op, world.vidmm.refusal().c_str());
  }
}

namespace {

// Null, or why VidMm does not rename an allocation. An instance of it would be renamed as the
// allocation that it is; the primary and what other processes may open keep their memory.
const char* cannot_rename(World& world, AllocationId id, AllocationId original) {
  const AllocationObject& allocation = world.objects.allocation(original);
  if (Adapter::knows(InterfaceVersion::Wddm2_0)) return "the driver is one of WDDM 2";
  if (world.objects.allocation(id).live) return "the slot is in use";
  if (!allocation.live) return "no such allocation";
  if (allocation.original != kNoAllocation) return "it is an instance of another one";
  if (!allocation.cpu_visible) return "the CPU cannot lock it";
  if (allocation.shared) return "it is shared";
  if (allocation.most_instances != 0 &&
      world.residency.instances().count_of(original) >= allocation.most_instances) {
    return "the driver lets it have no more instances (MaximumRenamingListLength)";
  }
  return allocation.pages > memory::frames_available() ? "there is no memory left" : nullptr;
}

}  // namespace

// Without NoExistingReference VidMm does not know what a command buffer refers to that user mode
// has not submitted yet: the allocation may be in use though the GPU has nothing to do.
void rename_allocation(ScenarioRun& run, const Op& op) {
  const AllocationId id{op.a}, original{op.b};
  World& world = run.world();
  if (const char* const why = cannot_rename(world, id, original)) return run.skip(op, why);
  vidmm::Instances& instances = world.residency.instances();
  const std::size_t count = instances.count_of(original) + 1;
  world.objects.rename_allocation(id, original, static_cast<std::uint32_t>(count));
  if (!world.vidmm.allocation_created(id)) {
    world.objects.destroy_allocation(id);
    return run.skip(op, world.vidmm.refusal().c_str());
  }
  instances.renamed(original, id);
}

// Only what nothing uses any more comes again.
void reuse_instance(ScenarioRun& run, const Op& op) {
  const AllocationId original{op.a};
  run.idle();
  World& world = run.world();
  const AllocationObject& allocation = world.objects.allocation(original);
  if (!allocation.live) return run.skip(op, "no such allocation");
  if (allocation.original != kNoAllocation) return run.skip(op, "it is an instance of another one");
  vidmm::Instances& instances = world.residency.instances();
  if (instances.count_of(original) == 1) return run.skip(op, "it was not renamed");
  session().tap(ev::InstanceReused{.allocation = instances.reuse(original).value,
                                   .original = original.value});
}

void open_allocation(ScenarioRun& run, const Op& op) {
  Objects& objects = run.world().objects;
  const AllocationId id{op.a};
  const DeviceId device{op.b};
  if (!objects.allocation(id).shared) return run.skip(op, "the allocation is not shared");
  if (objects.handle_on(device, id) != nullptr) {
    run.idle();  // what is at work knows the allocation by the opening that ends
    if (!run.running_or_skip(op)) return;
    if (objects.handle_on(device, id) == nullptr) return run.skip(op, "the device is gone");
    if (!objects.open_again(id, device)) run.skip(op, "the driver refused");
    return;
  }
  if (!objects.open_allocation(id, device)) return run.skip(op, "the driver refused");
  VidMmWorker& vidmm = run.world().vidmm;
  const ProcessId owner = objects.device(objects.allocation(id).device).process;
  const bool shared_by_two = objects.device(device).process != owner;
  if (!shared_by_two || !vidmm.virtual_memory().active()) return;
  for (const AllocationId one : objects.of_one_resource(id)) {
    Op each = op;
    each.a = static_cast<std::uint8_t>(one.value);
    vidmm.enqueue(requests::map_what_was_opened, each);
  }
}

void destroy_allocation(ScenarioRun& run, const Op& op) {
  const AllocationId id{op.a};
  if (!decisions().commits(OracleFault::DestroyWhileInUse)) run.idle();
  const AllocationObject& allocation = run.world().objects.allocation(id);
  if (!allocation.live) return run.skip(op, "no such allocation");
  if (allocation.original != kNoAllocation) {
    return run.skip(op, "it is an instance, which ends with its allocation");
  }
  run.destroy_allocation(id);
}

void small_resources(ScenarioRun& run, const Op& op) {
  place_small_resources(run.world().adapter, run.world().objects, op.x, op.y);
}

}  // namespace wddm::host::ops
