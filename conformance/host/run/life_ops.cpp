// The life of the adapter, and time.
#include <optional>

#include "conformance/host/adapter/component_states.h"
#include "conformance/host/adapter/objects/allocation_group.h"
#include "conformance/host/adapter/questions/interview.h"
#include "conformance/host/adapter/questions/port_questions.h"
#include "conformance/host/render/translation_trial.h"
#include "conformance/host/run/interpreter.h"
#include "conformance/host/run/life_of_device.h"
#include "conformance/host/run/op_handlers.h"

namespace wddm::host::ops {
namespace {

constexpr std::uint32_t kUnitsAMillisecond = 16;

void take_down(ScenarioRun& run, Adapter::Stage stage,
               Adapter::Departure departure = Adapter::Departure::Watched) {
  run.idle();
  run.tear_down(stage, departure);
}

// A device of the scenario's besides the first, if there is one.
std::optional<DeviceId> second_device(const World& world) {
  for (const DeviceId id : IdRange<DeviceId>{kFirstDevice.value + 1, kSlots}) {
    if (world.objects.device(id).live) return id;
  }
  return std::nullopt;
}

}  // namespace

void start(ScenarioRun& run, const Op&) {
  static_cast<void>(run.ensure_running());
}

void stop(ScenarioRun& run, const Op&) {
  take_down(run, Adapter::Stage::Added);
}

void remove(ScenarioRun& run, const Op&) {
  take_down(run, Adapter::Stage::Entered);
}

void unload(ScenarioRun& run, const Op&) {
  take_down(run, Adapter::Stage::Absent, Adapter::Departure::AtOnce);
}

void cycle(ScenarioRun& run, const Op& op) {
  const bool add_too = op.a != 0;
  for (std::uint32_t i = 0; i < op.x; ++i) {
    take_down(run, add_too ? Adapter::Stage::Entered : Adapter::Stage::Added);
    if (!run.ensure_running()) return;
  }
}

void rebalance(ScenarioRun& run, const Op& op) {
  World& world = run.world();
  if (op.a >= world.adapter.physical_adapters()) return run.skip(op, "no such GPU in the link");
  if (!world.bus.present()) return run.skip(op, "there is no device that could lie elsewhere");
  take_down(run, Adapter::Stage::Added);
  if (!world.bus.of(op.a).move()) run.skip(op, "there is no other place for its BARs");
  static_cast<void>(run.ensure_running());
}

void bug_check(ScenarioRun& run, const Op& op) {
  if (run.has_or_skip(op, {DdiId::CollectDbgInfo})) run.stop_system();
}

void initialize_status(ScenarioRun& run, const Op& op) {
  run.world().adapter.set_initialize_status(op.x);
}

void requery(ScenarioRun& run, const Op& op) {
  World& world = run.world();
  world.adapter.query();
  run.idle();
  if (!world.adapter.running()) return;
  interview(world.adapter, world.objects, world.processes);
  try_translations(world.adapter, world.objects, world.addressing);
  if (op.a == 0) return;
  const std::optional<DeviceId> other = world.choices.share ? second_device(world) : std::nullopt;
  try_allocation_group(world.adapter, world.objects, op.a, op.b, other);
}

// Clauses know one set of capabilities, so a scenario has one.
void configure(ScenarioRun& run, const Op& op) {
  if (run.entered()) return run.skip(op, "the driver has read its settings");
  write_setting(op);
}

void wait_time(ScenarioRun& run, const Op& op) {
  for (std::uint32_t i = 0; i < op.x; ++i) {
    run.rest();
    run.world().bus.advance(kUnitsAMillisecond);
  }
}

void power_cycle(ScenarioRun& run, const Op& op) {
  if (run.has_or_skip(op, {DdiId::SetPowerState})) host::power_cycle(run, op);
}

void surprise_remove(ScenarioRun& run, const Op& op) {
  if (run.has_or_skip(op, {DdiId::NotifySurpriseRemoval})) host::surprise_remove(run, op);
}

void component_states(ScenarioRun& run, const Op& op) {
  if (!run.has_or_skip(op, {DdiId::QueryAdapterInfo, DdiId::SetPowerComponentFState})) return;
  run.idle();
  Adapter& adapter = run.world().adapter;
  if (!adapter.running()) return;
  const ComponentChanges changes{
      .times = op.x, .together = op.a != 0, .invalid = op.b != 0, .rest = op.c != 0};
  if (const char* const why = change_component_states(adapter, changes)) run.skip(op, why);
}

void exclusive_access(ScenarioRun& run, const Op& op) {
  const DdiId needed[] = {DdiId::BeginExclusiveAccess, DdiId::EndExclusiveAccess};
  if (!run.has_or_skip(op, {needed[0], needed[1]})) return;
  if (run.world().adapter.caps().MemoryManagementCaps.IoMmuSecureModeSupported == 0) {
    return run.skip(op, "the driver does not support IOMMU isolation");
  }
  static_cast<void>(host::exclusive_access(run, op.x));
}

// A driver that cannot be isolated is told nothing, so that it needs nothing of the kind.
void secure_machine(ScenarioRun& run, const Op& op) {
  const Adapter& adapter = run.world().adapter;
  const DXGK_VIDMMCAPS& caps = adapter.caps().MemoryManagementCaps;
  if (!run.has_or_skip(op, {DdiId::SetVirtualMachineData})) return;
  if (caps.IoMmuSecureModeSupported != 0) {
    if (caps.ParavirtualizationSupported == 0) {
      return run.skip(op, "the driver serves no virtual machines (ParavirtualizationSupported)");
    }
    if (!run.has_or_skip(
            op, {DdiId::BeginExclusiveAccess, DdiId::EndExclusiveAccess, DdiId::CreateProcess})) {
      return;
    }
    if (!adapter.has_virtual_addresses()) {
      return run.skip(op, "without GPU virtual addresses the driver is told of no processes");
    }
  }
  host::secure_machine(run);
}

void reset_device(ScenarioRun& run, const Op& op) {
  if (!run.has_or_skip(op, {DdiId::ResetDevice})) return;
  run.idle();
  if (!run.world().adapter.running()) return;
  call_reset_device(run.world().adapter);
  run.tear_down_unseen(Adapter::Stage::Added, "the device was reset");
}

}  // namespace wddm::host::ops
