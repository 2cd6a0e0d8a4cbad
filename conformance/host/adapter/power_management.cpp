// First, so that the codes are defined here.
#include <initguid.h>

#include "conformance/host/adapter/power_management.h"

#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {
namespace {

enum class Stage : std::uint32_t { PrepareToStart, Started, Stopped };

// The place for BytesReturned is optional: it is left out once.
void tell(const Adapter& adapter, Stage stage, const GUID& code) {
  const bool asked = stage != Stage::Started;
  for (std::uint32_t index = 0; index < adapter.physical_adapters(); ++index) {
    SIZE_T returned = 0;
    const NTSTATUS status = call_ddi<DdiId::PowerRuntimeControlRequest>(
        kNone, adapter.miniport(index), &code, PVOID{}, SIZE_T{}, PVOID{}, SIZE_T{},
        asked ? &returned : nullptr);
    session().tap(ev::PowerManagementTold{.returned = returned,
                                          .stage = static_cast<std::uint32_t>(stage),
                                          .status = static_cast<std::uint32_t>(status),
                                          .asked = asked,
                                          .physical_adapter = index});
  }
}

bool manages_power(const Adapter& adapter) {
  return adapter.caps().SupportRuntimePowerManagement != FALSE &&
         may_call(DdiId::PowerRuntimeControlRequest);
}

}  // namespace

void begin_power_management(const Adapter& adapter) {
  if (!manages_power(adapter)) return;
  tell(adapter, Stage::PrepareToStart, GUID_DXGKDDI_POWER_MANAGEMENT_PREPARE_TO_START);
  tell(adapter, Stage::Started, GUID_DXGKDDI_POWER_MANAGEMENT_STARTED);
}

void end_power_management(const Adapter& adapter) {
  if (!manages_power(adapter)) return;
  tell(adapter, Stage::Stopped, GUID_DXGKDDI_POWER_MANAGEMENT_STOPPED);
}

}  // namespace wddm::host
