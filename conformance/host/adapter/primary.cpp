// The shared primary surface of a display, which Dxgkrnl makes itself.
#include <utility>

#include "conformance/host/adapter/objects.h"
#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {

// Whose size and look only the driver knows; its private data go to whoever opens it.
bool Objects::create_primary(AllocationId id, std::uint32_t rows) {
  refusal_ = allocations_[id].live ? "the slot is in use" : "no such device";
  if (allocations_[id].live || !devices_[kFirstDevice].live) return false;
  refusal_ = "the driver has no shared primary";
  if (!may_call(DdiId::CreateAllocation) || !may_call(DdiId::OpenAllocation)) return false;
  PrivateData data;
  const StandardSurface surface{D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE, rows};
  if (!ask_standard_data(adapter_, surface, data)) return false;
  WddmAllocationRequest request{};
  request.shared = 1;
  return make(id, kFirstDevice, std::move(data), request, true);
}

}  // namespace wddm::host
