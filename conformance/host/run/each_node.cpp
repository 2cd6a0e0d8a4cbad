#include "conformance/host/run/each_node.h"

#include <optional>

#include "conformance/host/adapter/objects/context_data.h"
#include "conformance/host/run/op_handlers.h"

namespace wddm::host {
namespace {

// The last slot is the neighbour's.
template <class Id, class IsLive>
std::optional<Id> last_free(IsLive is_live) {
  for (std::uint32_t slot = kNeighbourContext.value; slot-- > 0;) {
    if (!is_live(Id{slot})) return Id{slot};
  }
  return std::nullopt;
}

// A node may be the kernel's alone: its driver need not take contexts of user mode there.
bool is_for_user_mode(const Objects& objects, EngineId engine) {
  ContextData data;
  if (objects.client() != nullptr) {
    data.ask(*objects.client(), objects.client_instance(), engine);
  }
  return !data.refused;
}

// Null, or why the engine has got no packet.
const char* render_on(ScenarioRun& run, DeviceId device, ContextId context, EngineId engine,
                      std::uint32_t units) {
  World& world = run.world();
  if (!world.objects.contexts().create(context, device, engine)) {
    return world.objects.contexts().refusal();
  }
  world.vidmm.enqueue_context(context);
  nt::settle();
  if (world.vidsch.in_error(context)) return "its device is in error";
  const auto slot = static_cast<std::uint8_t>(context.value);
  world.render_path.begin({.kind = OpKind::Render, .a = slot});
  world.render_path.element({.kind = OpKind::Spin, .x = units});
  world.render_path.flush();
  nt::settle();
  return nullptr;
}

// The engine is reset in the middle of its packet, and says then what it completed last. Where that
// did not suffice the adapter was reset, and nothing of before is there any more.
void give_up(ScenarioRun& run, const Op& op, EngineId engine, DeviceId device) {
  World& world = run.world();
  run.advance(op.x / 2);
  if (const char* const why = run.time_out(engine, false, 0, 0)) {
    run.skip(op, why);
  } else {
    world.vidsch.preempt(engine);
    nt::settle();
  }
  run.idle();
  if (!run.was_reset() && world.objects.device(device).live) run.destroy_device(device);
}

}  // namespace

// A packet that is left, or given up, has a device of its own, so that the reset of one engine is
// an error of no other's work. Any other runs where markers tell whether it has.
void give_each_node_work(ScenarioRun& run, const Op& op) {
  World& world = run.world();
  const bool preempts = op.a != 0;
  const bool leaves = op.b != 0;
  const bool gives_up = op.c != 0;
  const bool apart = leaves || gives_up;
  for (std::uint32_t node = 0; node < world.adapter.nodes(); ++node) {
    if (!run.running_or_skip(op)) return;
    const EngineId engine = ops::chosen_engine(run, node);
    if (!is_for_user_mode(world.objects, engine)) continue;
    const auto context =
        last_free<ContextId>([&](ContextId id) { return world.objects.context(id).live; });
    std::optional<DeviceId> device = kFirstDevice;
    if (apart) {
      device = last_free<DeviceId>([&](DeviceId id) { return world.objects.device(id).live; });
    }
    if (!context || !device) return run.skip(op, "no slot is free");
    if (apart) {
      if (const char* const why = run.create_device(*device, kFirstProcess)) {
        return run.skip(op, why);
      }
    }
    if (const char* const why = render_on(run, *device, *context, engine, op.x)) {
      run.skip(op, why);
    } else if (gives_up) {
      give_up(run, op, engine, *device);
      continue;
    } else if (preempts) {
      run.advance(op.x / 2);
      world.vidsch.preempt(engine);
      nt::settle();
    }
    if (leaves) continue;
    run.idle();
    if (run.was_reset() || !world.objects.context(*context).live) continue;
    run.forget_context(*context);
    world.objects.contexts().destroy(*context);
  }
  if (leaves) run.advance(op.x / 2);
}

}  // namespace wddm::host
