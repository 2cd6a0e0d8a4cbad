#include "conformance/host/run/life_of_device.h"

#include <optional>

#include "conformance/host/adapter/component_states.h"
#include "conformance/host/adapter/shared_line.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"

namespace wddm::host {
namespace {

constexpr std::uint32_t kUnitsAStep = 160;  // of GPU time
constexpr std::uint32_t kMillisecondsAStep = 10;
// What the IOMMU takes to change a domain is a matter of moments.
constexpr std::uint32_t kSwitchMilliseconds = 10;

constexpr GUID kMachine = {
    0x5EC4E17A, 0x3B0C, 0x4D51, {0x9A, 0x62, 0x1F, 0x07, 0xC8, 0x44, 0xB1, 0x2E}};

enum class RemovalStage : bool { Asleep, Running };

const char* cannot_remove(const Adapter& adapter, RemovalStage stage) {
  const DXGK_DRIVERCAPS& caps = adapter.caps();
  if (adapter.physical_adapters() > 1) return "no GPU of a link is pulled out alone";
  if (stage == RemovalStage::Running) {
    return caps.SupportSurpriseRemoval != FALSE ? nullptr
                                                : "the driver does not support surprise removal";
  }
  return caps.SupportSurpriseRemovalInHibernation != FALSE
             ? nullptr
             : "the driver does not support surprise removal in hibernation";
}

bool can_be_isolated(const Adapter& adapter) {
  return adapter.caps().MemoryManagementCaps.IoMmuSecureModeSupported != 0;
}

}  // namespace

// What the driver knew of engines and memory may be gone; what it was given is not.
void power_cycle(ScenarioRun& run, const Op& op) {
  World& world = run.world();
  run.idle();
  if (run.was_reset()) return;
  world.vidmm.enqueue(requests::empty_memory, op);
  run.idle();
  if (run.was_reset()) return;
  world.memory.power_was_lost();
  world.vidmm.power_was_lost();
  world.vidsch.hardware_forgets();
  let_components_rest(world.adapter);
  if (op.b != 0) {
    run.power().down(PowerDeviceD3, PowerActionHibernate);
  } else {
    run.power().down(static_cast<DEVICE_POWER_STATE>(PowerDeviceD3 - op.a), PowerActionSleep);
  }
  run.power().up();
  wake_components(world.adapter);
  world.vidmm.enqueue(requests::restore_memory, op);
  run.idle();
}

// In hibernation all work has ended and power is off; else whatever runs is cut off.
void surprise_remove(ScenarioRun& run, const Op& op) {
  World& world = run.world();
  const auto stage = op.a != 0 ? RemovalStage::Running : RemovalStage::Asleep;
  if (const char* const why = cannot_remove(world.adapter, stage)) return run.skip(op, why);
  if (stage == RemovalStage::Asleep) {
    run.idle();
    if (run.was_reset()) return;
    world.vidmm.enqueue(requests::empty_memory, op);
    run.idle();
    if (run.was_reset()) return;
    world.memory.power_was_lost();
    if (may_call(DdiId::SetPowerState)) {
      run.power().down(PowerDeviceD3, PowerActionHibernate);
    }
  }
  nt::settle();
  const auto type = stage == RemovalStage::Running ? DxgkRemovalPnPNotify : DxgkRemovalHibernation;
  const std::uint32_t outstanding = world.vidsch.packets().size();
  world.bus.pull_out();
  const NTSTATUS status =
      call_ddi<DdiId::NotifySurpriseRemoval>(kNone, world.adapter.miniport(), type);
  session().tap(ev::SurpriseRemoved{.type = static_cast<std::uint32_t>(type),
                                    .status = static_cast<std::uint32_t>(status),
                                    .outstanding = outstanding});
  share_the_line(world.adapter);  // others there have their interrupts still
  run.tear_down_unseen(Adapter::Stage::Entered, "the device is gone");
  world.bus.plug_in_again();
}

bool exclusive_access(ScenarioRun& run, std::uint32_t milliseconds) {
  World& world = run.world();
  run.idle();
  if (!world.adapter.running() || run.was_reset()) return false;
  const auto tell = [&](std::uint32_t stage, NTSTATUS status, Bus::Accesses seen,
                        std::uint32_t interrupts) {
    session().tap(ev::ExclusiveAccess{.reads = seen.reads,
                                      .writes = seen.writes,
                                      .stage = stage,
                                      .status = static_cast<std::uint32_t>(status),
                                      .interrupts = interrupts});
  };
  DXGKARG_BEGINEXCLUSIVEACCESS begin{};
  const NTSTATUS begun =
      call_ddi<DdiId::BeginExclusiveAccess>(kNone, world.adapter.miniport(), &begin);
  tell(0, begun, {}, 0);
  if (!NT_SUCCESS(begun)) return false;
  static_cast<void>(world.bus.take_accesses());
  static_cast<void>(world.bus.take_interrupt_count());
  for (std::uint32_t passed = 0; passed < milliseconds; passed += kMillisecondsAStep) {
    static_cast<void>(world.bus.advance(kUnitsAStep));
    run.rest();
  }
  const Bus::Accesses seen = world.bus.take_accesses();
  const std::uint32_t interrupts = world.bus.take_interrupt_count();
  DXGKARG_ENDEXCLUSIVEACCESS end{};
  const NTSTATUS ended = call_ddi<DdiId::EndExclusiveAccess>(kNone, world.adapter.miniport(), &end);
  tell(1, ended, seen, interrupts);
  return NT_SUCCESS(ended);
}

// Isolation comes first: the machine has work for the device as soon as the driver knows of it.
void secure_machine(ScenarioRun& run) {
  World& world = run.world();
  run.idle();
  if (!world.adapter.running() || run.was_reset()) return;
  const bool unasked = decisions().commits(OracleFault::SecureMachineUnasked);
  if (!unasked &&
      (!can_be_isolated(world.adapter) || !exclusive_access(run, kSwitchMilliseconds))) {
    session().tap(ev::SecureMachineWanted{.refused = 1});
    return;
  }
  const std::optional<ProcessId> worker = world.processes.create_machine_worker();
  bool told = false;
  if (worker) {
    GUID machine = kMachine;
    DXGKARG_SETVIRTUALMACHINEDATA data{};
    data.hKmdVmWorkerProcess = world.processes.driver(*worker);
    data.pVmGuid = &machine;
    data.Flags.SecureVirtualMachine = 1;
    told =
        NT_SUCCESS(call_ddi<DdiId::SetVirtualMachineData>(kNone, world.adapter.miniport(), &data));
    world.processes.destroy(*worker);
  }
  session().tap(ev::SecureMachineWanted{.refused = told ? 0u : 1u});
}

}  // namespace wddm::host
