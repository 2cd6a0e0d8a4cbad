#include "conformance/host/run/interpreter.h"

#include <algorithm>

#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {
namespace {

// Virtual time without progress after which work counts as stuck: beyond TdrDelay (2 s) and the
// time a driver may stall in its threads.
constexpr nt::Time kStuckAfter = 10 * nt::Time{10'000'000};
constexpr nt::Time kIdleStep = 100'000;  // 10 ms
// Units that the driver's own threads, where they are the GPU, work off in that time at least.
constexpr std::uint64_t kUnitsOfThreads = kStuckAfter / 10'000;
constexpr std::uint32_t kGpuStep = 16;  // units of GPU time between looks at the CPU side

}  // namespace

void write_setting(const Op& op) {
  if (op.kind != OpKind::Configure) return;
  const auto names = shape_values(FieldShape::Setting);
  if (op.a < names.size()) nt::set_registry_dword(names[op.a], op.x);
}

void Interpreter::run(std::span<const Op> configuration, std::span<const Op> ops) {
  for (const Op& op : configuration) write_setting(op);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Op op = canonical(ops[i]);
    const OpInfo* const info = op_info(op.kind);
    if (info == nullptr) continue;
    if (info->role != OpRole::Element) flush();
    session().tap.set_op(static_cast<std::uint16_t>(std::min<std::size_t>(i, kNoOp - 1)));
    session().tap(ev::OpStarted{.kind = static_cast<std::uint32_t>(op.kind)});
    if (info->role == OpRole::Element) {
      world_.render_path.element(op);
      continue;
    }
    carry_out(op);
    nt::settle();
    if (info->role == OpRole::Do) spend_modifiers();
  }
  flush();
  session().tap.set_op(kNoOp);
  // A scenario that names no step of the driver's life still judges its start and its end.
  if (!entered_once_) static_cast<void>(ensure_running());
  idle();
  tear_down(Adapter::Stage::Absent);
}

void Interpreter::skip(const Op& op, const char* why) {
  session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(op.kind)}, why);
}

void Interpreter::carry_out(const Op& op) {
  switch (op_info(op.kind)->role) {
    case OpRole::Choose:
      choose(op);
      return;
    case OpRole::Modify:
      modify(op);
      return;
    default:
      break;
  }
  const auto number = static_cast<unsigned>(op.kind);
  if (number < static_cast<unsigned>(OpKind::CreateDevice)) return live(op);
  if (number < static_cast<unsigned>(OpKind::Render)) return change_objects(op);
  if (number >= static_cast<unsigned>(OpKind::MakeResident)) return change_memory(op);
  if (!running_or_skip(op)) return;
  switch (op.kind) {
    case OpKind::Render:
      if (!world_.objects.context(op.a).live) skip(op, "no such context");
      world_.render_path.begin(op);
      break;
    case OpKind::Advance:
      advance(op.x);
      break;
    case OpKind::Idle:
      idle();
      break;
    case OpKind::Preempt:
      if (op.a >= world_.adapter.nodes()) return skip(op, "no such node");
      world_.vidsch.preempt(op.a);
      break;
    case OpKind::QueryFence:
      if (op.a >= world_.adapter.nodes()) return skip(op, "no such node");
      query_fence(op.a);
      break;
    case OpKind::HoldDpcs:
      nt::hold_dpcs(op.a != 0);
      break;
    default:
      break;
  }
}

void Interpreter::modify(const Op& op) {
  modified_ = true;
  switch (op.kind) {
    case OpKind::FailPool:
      nt::fail_pool(op.x, op.a != 0);
      break;
    case OpKind::FailCallback:
      session().callback_failure.arm(static_cast<FallibleCallback>(op.a), op.x, op.b != 0);
      break;
    case OpKind::Schedule:
      schedule_.begin(static_cast<Policy>(op.a), op.x);
      nt::set_policy(static_cast<Policy>(op.a) == Policy::FirstCome ? nullptr : &schedule_);
      break;
    case OpKind::InitializeStatus:
      world_.adapter.set_initialize_status(op.x);
      break;
    default:
      break;
  }
}

void Interpreter::spend_modifiers() {
  modified_ = false;
  nt::set_policy(nullptr);
  nt::fail_pool(0, false);
  session().callback_failure.disarm();
}

// What a modified render has set going belongs to it; else it may overlap with what follows.
void Interpreter::flush() {
  if (!world_.render_path.flush() || !modified_) return;
  nt::settle();
  spend_modifiers();
}

void Interpreter::choose(const Op& op) {
  Choices& choices = world_.choices;
  switch (op.kind) {
    case OpKind::Configure:
      // Clauses know one set of capabilities, so a scenario has one.
      if (entered_once_) return skip(op, "the driver has read its settings");
      write_setting(op);
      break;
    case OpKind::SplitPoints:
      choices.take = static_cast<Take>(op.a);
      choices.take_mask = op.x;
      break;
    case OpKind::Prepatch:
      choices.prepatch = static_cast<PrepatchMode>(op.a);
      break;
    case OpKind::Interleave:
      choices.interleave = op.a != 0;
      break;
    case OpKind::Scramble:
      choices.scramble = op.a != 0;
      break;
    case OpKind::Repatch:
      choices.repatch = op.x;
      break;
    case OpKind::PagingBuffer:
      choices.paging_bytes = op.x;
      break;
    case OpKind::PatchPaging:
      choices.patch_paging = op.a != 0;
      break;
    case OpKind::TransferChunk:
      choices.transfer_chunk_pages = op.x;
      break;
    case OpKind::QueueDepth:
      choices.queue_depth = op.x;
      break;
    case OpKind::PagingNode:
      choices.paging_node = op.a;
      break;
    default:
      break;
  }
}

bool Interpreter::ensure_running() {
  if (world_.adapter.running()) return true;
  entered_once_ = true;
  if (!world_.adapter.bring_up()) return false;
  world_.residency.begin();
  world_.memory.begin();
  world_.vidsch.begin();
  world_.vidmm.begin();
  world_.objects.create_device(0);
  world_.render_path.begin_adapter();
  return true;
}

bool Interpreter::running_or_skip(const Op& op) {
  if (!entered_once_) static_cast<void>(ensure_running());
  if (world_.adapter.running() && !stuck_) return true;
  skip(op, stuck_ ? "the adapter was reset since work was stuck" : "the adapter is not running");
  return false;
}

void Interpreter::tear_down(Adapter::Stage stage) {
  nt::hold_dpcs(false);
  if (world_.adapter.running()) {
    if (!stuck_) look_at_memory();
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      if (world_.objects.device(slot).live) {
        world_.residency.forget_device(slot);
        world_.objects.destroy_device(slot);
      }
    }
    world_.memory.end();
    world_.residency.end();
  }
  world_.adapter.tear_down(stage);
  stuck_ = false;
}

void Interpreter::look_at_memory() {
  world_.memory.check({});
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) world_.memory.read_contents(slot);
}

void Interpreter::live(const Op& op) {
  if (op.kind != OpKind::Start && !entered_once_) static_cast<void>(ensure_running());
  switch (op.kind) {
    case OpKind::Start:
      static_cast<void>(ensure_running());
      break;
    case OpKind::Stop:
      idle();
      tear_down(Adapter::Stage::Added);
      break;
    case OpKind::Remove:
      idle();
      tear_down(Adapter::Stage::Entered);
      break;
    case OpKind::Unload:
      idle();
      tear_down(Adapter::Stage::Absent);
      break;
    case OpKind::Cycle:
      cycle(op.x, op.a != 0);
      break;
    case OpKind::Requery:
      if (running_or_skip(op)) world_.adapter.query();
      break;
    case OpKind::WaitTime:
      for (std::uint32_t i = 0; i < op.x; ++i) {
        rest();
        world_.bus.advance(kGpuStep);
      }
      break;
    default:
      break;
  }
}

void Interpreter::cycle(std::uint32_t count, bool add_too) {
  for (std::uint32_t i = 0; i < count; ++i) {
    idle();
    tear_down(add_too ? Adapter::Stage::Entered : Adapter::Stage::Added);
    if (!ensure_running()) return;
  }
}

void Interpreter::query_fence(std::uint32_t node) {
  if (session().wire->driver.DxgkDdiQueryCurrentFence == nullptr) return;
  DXGKARG_QUERYCURRENTFENCE query{};
  query.NodeOrdinal = node;
  const NTSTATUS status = call_driver(DdiId::QueryCurrentFence, node, nt::kPassive, [&] {
    return session().wire->QueryCurrentFence(world_.adapter.miniport(), &query);
  });
  session().tap(ev::FenceQueried{
      .node = node, .fence = query.CurrentFence, .status = static_cast<std::uint32_t>(status)});
}

void Interpreter::change_objects(const Op& op) {
  if (!running_or_skip(op)) return;
  Objects& objects = world_.objects;
  switch (op.kind) {
    case OpKind::CreateDevice:
      if (!objects.create_device(op.a)) skip(op, "the slot is in use or the driver refused");
      break;
    case OpKind::DestroyDevice:
      destroy_device(op.a);
      break;
    case OpKind::CreateContext:
      if (!objects.create_context(op.a, op.b, op.c)) {
        skip(op, "the slot is in use, there is no such device or node, or the driver refused");
      }
      break;
    case OpKind::DestroyContext:
      idle();
      world_.vidsch.forget_context(op.a);
      objects.destroy_context(op.a);
      break;
    case OpKind::CreateAllocation:
      if (!objects.create_allocation(op.a, 0, op.x, static_cast<Place>(op.b), op.c != 0)) {
        skip(op, "the slot is in use or the driver refused");
      } else if (!world_.vidmm.allocation_created(op.a)) {
        objects.destroy_allocation(op.a);
        skip(op, "VidMm refuses the allocation: it could never be resident, or there are too many");
      }
      break;
    case OpKind::DestroyAllocation:
      idle();
      if (!objects.allocation(op.a).live) return skip(op, "no such allocation");
      destroy_allocation(op.a);
      break;
    default:
      break;
  }
}

// VidMm takes it out of its aperture before the pages behind it are free for others. After a reset
// there is no work any more, for paging neither.
void Interpreter::destroy_allocation(std::uint32_t slot) {
  if (!stuck_) {
    if (slot < kSlots) world_.memory.read_contents(slot);
    world_.vidmm.enqueue_destruction(slot);
    idle();
  }
  world_.memory.forget(slot);
  world_.residency.forget(slot);
  world_.objects.destroy_allocation(slot);
}

void Interpreter::destroy_device(std::uint32_t device) {
  Objects& objects = world_.objects;
  idle();
  for (std::uint32_t slot = 0; slot <= kMarkerAllocation; ++slot) {
    const AllocationObject& allocation = objects.allocation(slot);
    if (allocation.live && allocation.device == device) destroy_allocation(slot);
  }
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    const ContextObject& context = objects.context(slot);
    if (context.live && context.device == device) world_.vidsch.forget_context(slot);
  }
  objects.destroy_device(device);
}

void Interpreter::change_memory(const Op& op) {
  if (!running_or_skip(op)) return;
  switch (op.kind) {
    case OpKind::MakeResident:
    case OpKind::Evict:
    case OpKind::Move:
    case OpKind::FillMemory:
    case OpKind::Discard:
    case OpKind::CpuWrite:
      if (!world_.objects.allocation(op.a).live) return skip(op, "no such allocation");
      break;
    default:
      break;
  }
  world_.vidmm.enqueue(op);
}

void Interpreter::rest() {
  nt::settle();
  nt::advance_time(kIdleStep);
  nt::settle();
}

void Interpreter::advance(std::uint32_t units) {
  while (units != 0) {
    const std::uint32_t step = std::min(units, world_.bus.present() ? 1u : units);
    const std::uint32_t used = world_.bus.advance(step);
    session().tap(ev::GpuAdvanced{.units = step, .used = used});
    nt::settle();
    if (!world_.bus.present()) rest();
    units -= step;
    if (world_.bus.present() && used == 0) break;
  }
}

void Interpreter::idle() {
  if (!world_.adapter.running()) return;
  nt::hold_dpcs(false);  // else what waits for them would count as stuck
  nt::Time stuck = 0;
  std::uint64_t busy = 0;
  std::uint64_t progress = world_.vidsch.progress() + world_.vidmm.progress();
  nt::settle();
  const auto at_work = [&] {
    return world_.vidsch.outstanding() != 0 || world_.vidsch.awaits_answer() ||
           world_.vidmm.jobs() != 0;
  };
  while (at_work()) {
    const std::uint32_t used = world_.bus.advance(kGpuStep);
    nt::settle();
    const std::uint64_t now = world_.vidsch.progress() + world_.vidmm.progress();
    if (now != progress) {
      progress = now;
      stuck = busy = 0;
      continue;
    }
    busy += used;
    if (used == 0) {
      rest();
      stuck += kIdleStep;
    } else {
      stuck = 0;
    }
    if (stuck < kStuckAfter && busy < kStuckAfterUnits) continue;
    const std::uint64_t patience = world_.bus.present() ? kStuckAfterUnits : kUnitsOfThreads;
    session().tap(ev::Stuck{.packets = world_.vidsch.outstanding(),
                            .jobs = world_.vidmm.jobs(),
                            .excused = world_.vidsch.may_take(patience)});
    stuck_ = true;
    world_.adapter.reset_from_timeout();
    world_.vidmm.abandon();
    world_.vidsch.abandon();
    nt::settle();
    return;
  }
}

}  // namespace wddm::host
