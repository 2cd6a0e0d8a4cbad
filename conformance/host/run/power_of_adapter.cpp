#include "conformance/host/run/power_of_adapter.h"

#include "conformance/host/adapter/shared_line.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/run/world.h"

namespace wddm::host {

void AdapterPower::down(DEVICE_POWER_STATE state, POWER_ACTION why) {
  went_for_ = why;
  set(state, why);
}

void AdapterPower::up() {
  set(PowerDeviceD0, went_for_ == PowerActionHibernate ? PowerActionSleep : PowerActionNone);
}

void AdapterPower::set(DEVICE_POWER_STATE state, POWER_ACTION why) {
  const bool off = state != PowerDeviceD0;
  const bool cut = state == PowerDeviceD3;
  // The lead of a link goes down before all others, and comes up after them.
  const std::uint32_t adapters = world_.adapter.physical_adapters();
  NTSTATUS status = STATUS_SUCCESS;
  if (!off) static_cast<void>(world_.bus.power(true));
  for (std::uint32_t turn = 0; turn < adapters && NT_SUCCESS(status); ++turn) {
    status = call_ddi<DdiId::SetPowerState>(
        kNone, world_.adapter.miniport(off ? turn : adapters - 1 - turn), DISPLAY_ADAPTER_HW_ID,
        state, why);
  }
  nt::settle();
  // Who has not let the device go may still use it.
  const std::uint32_t forgetful = cut && NT_SUCCESS(status) ? world_.bus.power(false) : 0;
  VirtualMemory& memory = world_.vidmm.virtual_memory();
  session().tap(ev::PowerChanged{.lost = cut && memory.active() ? memory.lose_memory() : 0,
                                 .state = static_cast<std::uint32_t>(state),
                                 .status = static_cast<std::uint32_t>(status),
                                 .forgetful = forgetful});
  // The routine stays connected, and who shares its line has power.
  if (off) share_the_line(world_.adapter);
}

}  // namespace wddm::host
