#include "conformance/host/run/scenario_run.h"

#include <algorithm>
#include <utility>

#include "conformance/host/adapter/component_states.h"
#include "conformance/host/adapter/host_aperture_trial.h"
#include "conformance/host/adapter/shared_line.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/vidmm/paging/clean_up_calls.h"

namespace wddm::host {
namespace {

// Virtual time without progress after which work counts as stuck: beyond TdrDelay (2 s) and the
// time a driver may stall in its threads.
constexpr nt::Time kStuckAfter = 10 * nt::Time{10'000'000};
constexpr nt::Time kIdleStep = 100'000;  // 10 ms
// Units that the driver's own threads, where they are the GPU, work off in that time at least.
constexpr std::uint64_t kUnitsOfThreads = kStuckAfter / 10'000;
constexpr std::uint32_t kAfterReset = 64;  // units for what goes on although it was reset
constexpr std::uint32_t kGpuStep = 16;     // units of GPU time between looks at the CPU side

void let_interrupts_go() {
  nt::hold_interrupts(false);
  nt::hold_threads(false);
  nt::hold_dpcs(false);
}

}  // namespace

bool ScenarioRun::ensure_running() {
  if (world_.adapter.running()) return true;
  entered_once_ = true;
  if (!world_.adapter.bring_up()) return false;
  // A link may be smaller than it was.
  std::uint32_t& chosen = world_.choices.physical_adapter;
  if (chosen >= world_.adapter.physical_adapters()) chosen = 0;
  world_.choices.paging_engine = {.node = world_.adapter.paging_node()};
  try_host_apertures(world_.adapter, world_.bus, world_.processes.count());
  world_.vidsch.take_first_fence();
  begin_world();
  return true;
}

void ScenarioRun::begin_world() {
  world_.residency.begin();
  world_.memory.begin();
  world_.vidsch.begin();
  world_.processes.begin();
  if (world_.adapter.has_virtual_addresses()) world_.objects.create_system_contexts();
  world_.vidmm.begin();
  world_.objects.create_device(kFirstDevice);
  world_.render_path.begin_adapter();
  world_.test_commands.feature().begin();
}

void ScenarioRun::end_world() {
  for (const DeviceId id : kAllDevices) {
    if (world_.objects.device(id).live) {
      world_.residency.forget_device(id);
      world_.objects.destroy_device(id);
    }
  }
  world_.vidmm.end();
  world_.processes.end();
  world_.memory.end();
  world_.residency.end();
}

void ScenarioRun::ensure_entered() {
  if (!entered_once_) static_cast<void>(ensure_running());
}

bool ScenarioRun::running_or_skip(const Op& op) {
  ensure_entered();
  reset_adapter_if_due();
  if (world_.adapter.running() && reset_ == nullptr) return true;
  skip(op, reset_ != nullptr ? reset_ : "the adapter is not running");
  return false;
}

bool ScenarioRun::has_or_skip(const Op& op, std::initializer_list<DdiId> needed) {
  for (const DdiId ddi : needed) {
    if (may_call(ddi)) continue;
    skip(op, ddi_info(ddi).absence);
    return false;
  }
  return true;
}

void ScenarioRun::tear_down(Adapter::Stage stage, Adapter::Departure departure) {
  let_interrupts_go();
  if (world_.adapter.running()) {
    if (reset_ == nullptr) look_at_memory();
    end_world();
    if (reset_ == nullptr) let_components_rest(world_.adapter);
  }
  world_.adapter.tear_down(stage, departure);
  reset_ = nullptr;
  goes_on_ = false;
  lost_objects_ = false;
}

void ScenarioRun::tear_down_unseen(Adapter::Stage stage, const char* why) {
  world_.vidsch.await_engine_reset();
  reset_ = why;
  world_.vidmm.abandon();
  world_.vidsch.reset();
  nt::settle();
  tear_down(stage);
}

void ScenarioRun::look_at_memory() {
  world_.comparison.check_at_end();
  for (const AllocationId id : kScenarioAllocations) world_.memory.read_contents(id);
}

void ScenarioRun::rest() {
  nt::settle();
  nt::advance_time(kIdleStep);
  nt::settle();
}

void ScenarioRun::stall(std::uint32_t milliseconds) {
  world_.bus.stand_still(true);
  const nt::Time end = milliseconds * nt::Time{10'000};
  for (nt::Time passed = 0; passed < end; passed += kIdleStep) rest();
  world_.bus.stand_still(false);
  session().tap(ev::GpuStood{.milliseconds = milliseconds});
}

void ScenarioRun::advance(std::uint32_t units) {
  while (units != 0) {
    const std::uint32_t step = std::min(units, world_.bus.present() ? 1u : units);
    const std::uint32_t used = world_.bus.advance(step);
    session().tap(ev::GpuAdvanced{.units = step, .used = used});
    nt::settle();
    // Threads that are held get no time, and are the GPU here.
    if (!world_.bus.present() && !nt::threads_held()) rest();
    units -= step;
    if (world_.bus.present() && used == 0) break;
  }
}

void ScenarioRun::keep_stopped(bool on) {
  world_.choices.keep_stopped = on;
  if (!on) world_.vidsch.look_again();
}

void ScenarioRun::idle() {
  if (!world_.adapter.running()) return;
  let_interrupts_go();  // else what waits for them would count as stuck
  keep_stopped(false);
  world_.vidmm.begin_postponed();
  nt::Time stuck = 0;
  std::uint64_t busy = 0;
  std::uint64_t progress = world_.vidsch.progress() + world_.vidmm.progress();
  nt::settle();
  const auto at_work = [&] {
    reset_adapter_if_due();
    return world_.vidsch.packets().size() != 0 || world_.vidsch.awaits_answer() ||
           world_.vidsch.recovering() || world_.vidmm.jobs() != 0;
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
    // That of a driver that never comes out is a hang.
    if (world_.vidsch.await_engine_reset()) {
      stuck = busy = 0;
      continue;
    }
    const std::uint64_t patience = world_.bus.present() ? kStuckAfterUnits : kUnitsOfThreads;
    session().tap(ev::Stuck{.packets = world_.vidsch.packets().size(),
                            .jobs = world_.vidmm.jobs(),
                            .excused = world_.vidsch.may_take(patience),
                            .timed = stuck >= kStuckAfter});
    return reset_adapter(Restart::No, "the adapter was reset since work was stuck");
  }
}

void ScenarioRun::reset_adapter(Restart restart, const char* why) {
  world_.vidsch.await_engine_reset();
  reset_ = why;
  const ResetCause cause = restart == Restart::Yes ? ResetCause::PageFault : ResetCause::Stuck;
  world_.vidmm.come_out_of_driver();
  world_.adapter.reset_from_timeout(cause);
  world_.vidmm.abandon();
  world_.vidsch.reset();
  nt::settle();
  if (restart == Restart::Yes) world_.adapter.restart_from_timeout(cause);
}

// DPCs that wait let go, so that nothing but the engine is to blame. Interrupts that are held back
// come behind the reset: what has completed by then was told to nobody.
const char* ScenarioRun::time_out(EngineId engine, bool adapter, std::uint32_t units,
                                  std::uint32_t late) {
  nt::hold_dpcs(false);
  const char* const why = give_up(engine, adapter, units, late);
  let_interrupts_go();
  return why;
}

const char* ScenarioRun::give_up(EngineId engine, bool adapter, std::uint32_t units,
                                 std::uint32_t late) {
  VidSchWorker& vidsch = world_.vidsch;
  nt::settle();
  if (!vidsch.is_busy(engine)) return "nothing is outstanding on the node";
  const bool asks = !decisions().resets_unasked();
  if (asks) vidsch.preempt(engine);
  nt::settle();
  if (units != 0) advance(units);
  vidsch.hear_out();
  const bool answered = asks && !vidsch.awaits_answer(engine);
  if (!vidsch.is_busy(engine) || answered) return "the engine has answered";
  vidsch.give_up(engine);
  nt::settle();
  if (late != 0) advance(late);
  if (!adapter) {
    vidsch.hear_out();  // the reset comes in this op, DPC or not
    vidsch.reset_unanswered();
    nt::settle();
    if (vidsch.reset_sufficed() || !decisions().promotes()) return nullptr;
    lost_objects_ = true;
  }
  recover_adapter();
  return nullptr;
}

void ScenarioRun::recover_adapter() {
  restart_adapter(ResetCause::Timeout);
  begin_anew();
}

void ScenarioRun::restart_adapter(ResetCause cause) {
  world_.vidsch.await_engine_reset();
  call_collect_debug_info(world_.adapter, kAdapterTimeoutReason);
  world_.vidsch.fail_all_devices();
  world_.vidmm.come_out_of_driver();
  world_.adapter.reset_from_timeout(cause);
  let_interrupts_go();
  call_clean_up(world_.adapter, {world_.objects, world_.residency}, world_.memory.dummy_frame());
  world_.vidmm.abandon();
  world_.vidsch.reset();
  nt::settle();
  share_the_line(world_.adapter);  // who else is on it knows of no reset
  advance(kAfterReset);
  world_.adapter.restart_from_timeout(cause);
}

void ScenarioRun::stop_system() {
  idle();
  if (!world_.adapter.running() || was_reset()) return;
  // What the driver leaves behind in there nobody comes to.
  nt::hold_dpcs(true);
  nt::hold_interrupts(true);
  nt::hold_threads(true);
  call_collect_for_bug_check(world_.adapter);
  system_stopped_ = true;
}

// Memory segments and apertures hold what the driver has left there.
void ScenarioRun::begin_anew() {
  end_world();
  begin_world();
  world_.memory.power_was_lost();
  nt::settle();
}

// Where Windows would have stopped nothing goes on. Else the op at hand has objects in its hands:
// they go when it is over.
void ScenarioRun::reset_adapter_if_due() {
  if (!world_.vidsch.adapter_reset_due()) return;
  constexpr const char* kWhy = "the adapter was reset after a page fault";
  if (world_.vidsch.bug_check_due()) return reset_adapter(Restart::Yes, kWhy);
  restart_adapter(ResetCause::PageFault);
  reset_ = kWhy;
  goes_on_ = true;
}

// A render that was put off may have come to VidMm since.
void ScenarioRun::go_on_after_reset() {
  if (!std::exchange(goes_on_, false)) return;
  world_.vidmm.abandon();
  reset_ = nullptr;
  lost_objects_ = true;
  begin_anew();
}

// VidMm takes it out of its aperture before the pages behind it are free for others. After a reset
// there is no work any more, for paging neither.
void ScenarioRun::destroy_allocation(AllocationId id) {
  const std::vector<AllocationId> all = world_.objects.goes_with(id);
  for (const AllocationId instance : kScenarioAllocations) {
    const AllocationId original = world_.objects.allocation(instance).original;
    if (original == kNoAllocation) continue;
    if (std::find(all.begin(), all.end(), original) != all.end()) destroy_allocation(instance);
  }
  if (reset_ == nullptr) {
    for (const AllocationId one : all) {
      if (one != kMarkerAllocation) world_.memory.read_contents(one);
      world_.vidmm.enqueue_destruction(one);
    }
    if (!decisions().commits(OracleFault::DestroyWhileInUse)) idle();
  }
  for (const AllocationId one : all) {
    world_.memory.forget(one);
    world_.residency.forget(one);
  }
  world_.objects.destroy_allocation(id);
}

// Without an MMU a device serves one process at a time (MCDM-039).
bool ScenarioRun::serves_another(ProcessId process) const {
  const Adapter& adapter = world_.adapter;
  const bool shares = adapter.has_virtual_addresses() || adapter.caps().MiscCaps.ComputeOnly == 0 ||
                      decisions().commits(OracleFault::ShareWithoutMmu);
  if (shares) return false;
  for (const DeviceId device : kAllDevices) {
    const DeviceObject& object = world_.objects.device(device);
    if (object.live && object.process != process) return true;
  }
  return false;
}

const char* ScenarioRun::create_device(DeviceId id, ProcessId process) {
  constexpr const char* kRefused = "the driver refused";
  if (world_.objects.device(id).live) return "the slot is in use";
  if (serves_another(process)) {
    return "without an MMU one process at a time has devices, and another one has them";
  }
  if (world_.adapter.has_virtual_addresses() && !world_.processes.live(process) &&
      !world_.processes.create(process)) {
    return kRefused;
  }
  if (world_.objects.create_device(id, process)) return nullptr;
  end_process_without_device(process);
  return kRefused;
}

void ScenarioRun::end_process_without_device(ProcessId id) {
  for (const DeviceId device : kAllDevices) {
    const DeviceObject& object = world_.objects.device(device);
    if (object.live && object.process == id) return;
  }
  // After a reset there is no work any more, for paging neither.
  if (reset_ == nullptr && world_.vidmm.enqueue_process_end(id)) idle();
  world_.vidmm.virtual_memory().forget(id);
  world_.processes.destroy(id);
}

void ScenarioRun::destroy_device(DeviceId id) {
  Objects& objects = world_.objects;
  const ProcessId process = objects.device(id).process;
  for (const AllocationId allocation : kAllAllocations) {
    if (objects.ends_with(id, allocation)) destroy_allocation(allocation);
  }
  for (const ContextId context : kAllContexts) {
    const ContextObject& object = objects.context(context);
    if (object.live && object.device == id) forget_context(context);
  }
  world_.vidmm.clients().forget(id);
  objects.destroy_device(id);
  world_.vidsch.forget_device(id);
  end_process_without_device(process);
}

void ScenarioRun::forget_context(ContextId id) {
  if (id < ContextId{kSlots} && world_.objects.context(companion_of(id)).live) {
    forget_context(companion_of(id));
  }
  // After a reset there is no work any more, for paging neither.
  if (reset_ == nullptr && world_.vidmm.enqueue_unmapping(id)) idle();
  world_.vidmm.tiles().forget(id);
  world_.vidsch.forget_context(id);
  if (world_.vidmm.virtual_memory().active()) world_.vidmm.virtual_memory().remove_context(id);
}

void ScenarioRun::skip(const Op& op, const char* why) {
  session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(op.kind)}, why);
}

void ScenarioRun::spend_modifiers() {
  modified_ = false;
  neighbour_.leave();
  nt::set_policy(nullptr);
  nt::let_services_yield(false);
  nt::fail_pool(0, false);
  session().callback_failure.disarm();
  world_.test_commands.leave_as_they_are();
}

}  // namespace wddm::host
