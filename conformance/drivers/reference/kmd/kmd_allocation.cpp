#include "kmd_allocation.h"

#include "kmd_addressing.h"
#include "segment_layout.h"

namespace reference_kmd {

namespace {

NTSTATUS read_private_data(const DXGK_ALLOCATIONINFO& information, UmdAllocationData* data) {
  if (information.pPrivateDriverData == nullptr ||
      information.PrivateDriverDataSize < sizeof *data) {
    return STATUS_INVALID_PARAMETER;
  }
  RtlCopyMemory(data, information.pPrivateDriverData, sizeof *data);
  if (data->magic != UMD_ALLOCATION_MAGIC || data->version != UMD_VERSION) {
    return STATUS_GRAPHICS_DRIVER_MISMATCH;
  }
  if (data->gpu >= gpus_of_link()) return STATUS_INVALID_PARAMETER;
  if (data->size == 0 || data->size > MAXULONG || data->segment > UMD_SEGMENT_APERTURE) {
    return STATUS_INVALID_PARAMETER;
  }
  return STATUS_SUCCESS;
}

NTSTATUS create_allocation(DXGK_ALLOCATIONINFO* information, const AllocationRules& rules) {
  UmdAllocationData data;
  const NTSTATUS status = read_private_data(*information, &data);
  if (status != STATUS_SUCCESS) return status;
  // There is no other memory than the kind that it must not lie in.
  if ((data.flags & UMD_ALLOCATION_APERTURE_ONLY) != 0 && segment_id(UMD_SEGMENT_APERTURE) == 0) {
    return STATUS_NOT_SUPPORTED;
  }
  Allocation* allocation = new Allocation(data);
  if (allocation == nullptr) return STATUS_NO_MEMORY;
  allocation->describe(information, rules);
  return STATUS_SUCCESS;
}

}  // namespace

void Allocation::describe(DXGK_ALLOCATIONINFO* information, const AllocationRules& rules) {
  const UINT aperture_set = segment_set(UMD_SEGMENT_APERTURE);
  const bool aperture = (data_.flags & UMD_ALLOCATION_APERTURE_ONLY) != 0 ||
                        data_.segment == UMD_SEGMENT_APERTURE ||
                        segment_layout() == SegmentLayout::ApertureOnly;
  const bool local = !aperture;
  const bool seen = (data_.flags & UMD_ALLOCATION_CPU_VISIBLE) != 0;
  const UINT role = seen || data_.segment != 0 ? UMD_SEGMENT_LOCAL : rules.local_segment;
  const UINT local_set = segment_set(role);
  // What is told to the driver lies where the driver could use it physically.
  const bool notified = rules.notify_residency && local;
  const bool swizzled = swizzled_ = rules.swizzled && local && seen;
  const bool nowhere_else = notified || swizzled || data_.segment == UMD_SEGMENT_LOCAL;
  const UINT set = aperture ? aperture_set : nowhere_else ? local_set : local_set | aperture_set;
  information->Alignment = max(local ? rules.local_page_size : PAGE_SIZE, rules.alignment);
  information->Size = size();
  information->PitchAlignedSize = 0;
  information->HintedBank.Value = 0;
  information->PreferredSegment.Value = 0;
  information->PreferredSegment.SegmentId0 = segment_id(local ? role : UMD_SEGMENT_APERTURE);
  if (local && (set & aperture_set) != 0) {
    information->PreferredSegment.SegmentId1 = segment_id(UMD_SEGMENT_APERTURE);
  }
  information->SupportedReadSegmentSet = set;
  information->SupportedWriteSegmentSet = set;
  information->EvictionSegmentSet = 0;  // straight to page-locked system memory
  information->MaximumRenamingListLength = 0;
  if (is_wddm_2()) information->PhysicalAdapterIndex = data_.gpu;
  information->hAllocation = this;
  information->Flags.Value = 0;
  information->Flags.CpuVisible = (data_.flags & UMD_ALLOCATION_CPU_VISIBLE) != 0;
  information->Flags.Swizzled = swizzled;
  if (notified) {
    information->FlagsWddm2.AccessedPhysically = TRUE;
    information->FlagsWddm2.ExplicitResidencyNotification = TRUE;
  }
  // ... by its place in the aperture, which Dxgkrnl maps it into.
  if (rules.in_lists || (rules.accessed_physically && (set & aperture_set) != 0)) {
    information->FlagsWddm2.AccessedPhysically = TRUE;
  }
  information->Flags.Cached = information->Flags.CpuVisible && aperture;  // which snoops
  if (rules.alternate_view && (data_.flags & UMD_ALLOCATION_PRIMARY) != 0) {
    information->Flags.CpuVisible = TRUE;
    information->Flags.UseAlternateVA = TRUE;
  }
  information->pAllocationUsageHint = nullptr;
  information->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
}

// A buffer is described as one row of 32-bit texels.
void Allocation::describe_surface(DXGKARG_DESCRIBEALLOCATION* description) const {
  description->Width = data_.width != 0 ? data_.width : static_cast<UINT>(data_.size / 4);
  description->Height = data_.height != 0 ? data_.height : 1;
  description->Format =
      data_.format != 0 ? static_cast<D3DDDIFORMAT>(data_.format) : D3DDDIFMT_A8R8G8B8;
  description->MultisampleMethod.NumSamples = 0;
  description->MultisampleMethod.NumQualityLevels = 0;
  description->RefreshRate.Numerator = 0;
  description->RefreshRate.Denominator = 0;
  description->PrivateDriverFormatAttribute = 0;
}

NTSTATUS create_allocations(DXGKARG_CREATEALLOCATION* request, const AllocationRules& rules) {
  Resource* resource = nullptr;
  if (request->Flags.Resource && request->hResource == nullptr) {
    resource = new Resource;
    if (resource == nullptr) return STATUS_NO_MEMORY;
  }
  for (UINT i = 0; i < request->NumAllocations; ++i) {
    const NTSTATUS status = create_allocation(&request->pAllocationInfo[i], rules);
    if (status == STATUS_SUCCESS) continue;
    while (i-- != 0) {
      delete static_cast<Allocation*>(request->pAllocationInfo[i].hAllocation);
      request->pAllocationInfo[i].hAllocation = nullptr;
    }
    delete resource;
    return status;
  }
  if (resource != nullptr) request->hResource = resource;
  return STATUS_SUCCESS;
}

void destroy_allocations(const DXGKARG_DESTROYALLOCATION& request) {
  for (UINT i = 0; i < request.NumAllocations; ++i) {
    delete static_cast<Allocation*>(request.pAllocationList[i]);
  }
  if (request.Flags.DestroyResource) delete static_cast<Resource*>(request.hResource);
}

}  // namespace reference_kmd
