#include "patch.h"

namespace reference_kmd {

void patch_portion(const DXGKARG_PATCH& request) {
  UCHAR* buffer = static_cast<UCHAR*>(request.pDmaBuffer);
  for (UINT i = 0; i < request.PatchLocationListSubmissionLength; ++i) {
    const D3DDDI_PATCHLOCATIONLIST& element =
        request.pPatchLocationList[request.PatchLocationListSubmissionStart + i];
    if (element.AllocationIndex >= request.AllocationListSize) continue;
    const DXGK_ALLOCATIONLIST& entry = request.pAllocationList[element.AllocationIndex];
    if (entry.hDeviceSpecificAllocation == nullptr) continue;  // releases a slot: no address
    if (element.PatchOffset < request.DmaBufferSubmissionStartOffset ||
        element.PatchOffset + sizeof(ULONGLONG) > request.DmaBufferSubmissionEndOffset) {
      continue;
    }
    ULONGLONG address = HW_NO_ADDRESS;
    if (entry.SegmentId != 0) {
      address = static_cast<ULONGLONG>(entry.PhysicalAddress.QuadPart) + element.AllocationOffset;
    }
    RtlCopyMemory(buffer + element.PatchOffset, &address, sizeof address);
  }
}

}  // namespace reference_kmd
