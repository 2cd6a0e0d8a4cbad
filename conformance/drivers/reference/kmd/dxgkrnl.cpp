#include "dxgkrnl.h"

#include "kmd_addressing.h"
#include "segment_layout.h"

namespace reference_kmd {

void* Dxgkrnl::allocation_data(D3DKMT_HANDLE allocation) {
  DXGKARGCB_GETHANDLEDATA query = {};
  query.hObject = allocation;
  query.Type = DXGK_HANDLE_ALLOCATION;
  if (!is_wddm_2()) return callbacks_.DxgkCbGetHandleData(&query);
  // It is there for as long as the call that names it takes, and only looked up meanwhile.
  DXGKARGCB_RELEASEHANDLEDATA reference = {};
  reference.Type = DXGK_HANDLE_ALLOCATION;
  void* const data = callbacks_.DxgkCbAcquireHandleData(&query, &reference.ReleaseHandle);
  if (data != nullptr) callbacks_.DxgkCbReleaseHandleData(reference);
  return data;
}

NTSTATUS Dxgkrnl::create_context_allocation(HANDLE context, void* own, SIZE_T bytes, UINT segment,
                                            HANDLE* allocation) {
  DXGKARGCB_CREATECONTEXTALLOCATION request = {};
  request.hAdapter = callbacks_.DeviceHandle;
  request.hContext = context;
  request.hDriverAllocation = own;
  request.Size = bytes;
  request.SupportedSegmentSet = 1u << (segment - 1);
  request.PreferredSegment.SegmentId0 = segment;
  request.Flags.AccessedPhysically = TRUE;
  // Of an aperture the maps say where it is.
  request.Flags.ExplicitResidencyNotification = segment_role(segment) != UMD_SEGMENT_APERTURE;
  const NTSTATUS status = callbacks_.DxgkCbCreateContextAllocation(&request);
  *allocation = NT_SUCCESS(status) ? request.hAllocation : nullptr;
  return status;
}

ULONGLONG Dxgkrnl::map_context_allocation(HANDLE allocation, SIZE_T bytes) {
  if (callbacks_.DxgkCbMapContextAllocation == nullptr) return 0;
  DXGKARGCB_MAPCONTEXTALLOCATION request = {};
  request.hAllocation = allocation;
  request.SizeInPages = (bytes + PAGE_SIZE - 1) / PAGE_SIZE;
  request.Protection.Write = TRUE;
  request.Protection.SystemUseOnly = TRUE;
  return callbacks_.DxgkCbMapContextAllocation(callbacks_.DeviceHandle, &request);
}

NTSTATUS Dxgkrnl::allocate_memory(SIZE_T bytes, void** memory, HANDLE* handle) {
  DXGKARGCB_ALLOCATECONTIGUOUSMEMORY request = {};
  request.NumberOfBytes = bytes;
  request.HighestAcceptableAddress.QuadPart = -1;
  request.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
  const NTSTATUS status =
      callbacks_.DxgkCbAllocateContiguousMemory(callbacks_.DeviceHandle, &request);
  *memory = NT_SUCCESS(status) ? request.pMemory : nullptr;
  *handle = request.hMemoryHandle;
  return status;
}

void Dxgkrnl::free_memory(HANDLE handle) {
  DXGKARGCB_FREECONTIGUOUSMEMORY request = {};
  request.hMemoryHandle = handle;
  callbacks_.DxgkCbFreeContiguousMemory(callbacks_.DeviceHandle, &request);
}

void Dxgkrnl::notify_completed(UINT node, UINT fence) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = fence;
  data.DmaCompleted.NodeOrdinal = node;
  data.DmaCompleted.EngineOrdinal = engine_ordinal_;
  callbacks_.DxgkCbNotifyInterrupt(callbacks_.DeviceHandle, &data);
}

void Dxgkrnl::notify_preempted(UINT node, UINT request, UINT last_completed) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = request;
  data.DmaPreempted.LastCompletedFenceId = last_completed;
  data.DmaPreempted.NodeOrdinal = node;
  data.DmaPreempted.EngineOrdinal = engine_ordinal_;
  callbacks_.DxgkCbNotifyInterrupt(callbacks_.DeviceHandle, &data);
}

// The packet is known; its engine stands still until it is reset.
void Dxgkrnl::notify_page_fault(UINT node, const PageFault& fault) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  data.DmaPageFaulted.FaultedFenceId = fault.fence;
  data.DmaPageFaulted.FaultedPrimitiveAPISequenceNumber =
      DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN;
  data.DmaPageFaulted.FaultedPipelineStage = DXGK_RENDER_PIPELINE_STAGE_UNKNOWN;
  data.DmaPageFaulted.FaultedBindTableEntry = DXGK_BIND_TABLE_ENTRY_UNKNOWN;
  data.DmaPageFaulted.PageFaultFlags = static_cast<DXGK_PAGE_FAULT_FLAGS>(
      DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED | (fault.write ? DXGK_PAGE_FAULT_WRITE : 0) |
      (fault.io_mmu ? DXGK_PAGE_FAULT_IOMMU : 0));
  data.DmaPageFaulted.FaultedVirtualAddress = fault.address;
  data.DmaPageFaulted.NodeOrdinal = node;
  data.DmaPageFaulted.EngineOrdinal = engine_ordinal_;
  data.DmaPageFaulted.PageTableLevel = fault.level;
  data.DmaPageFaulted.FaultErrorCode.GeneralErrorCode = DXGK_GENERAL_ERROR_PAGE_FAULT;
  data.DmaPageFaulted.FaultedProcessHandle = fault.process;
  callbacks_.DxgkCbNotifyInterrupt(callbacks_.DeviceHandle, &data);
}

// Of the one target; no primary is shown on it.
void Dxgkrnl::notify_retrace() {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
  data.CrtcVsync.VidPnTargetId = 0;
  data.CrtcVsync.PhysicalAdapterMask = 1;
  callbacks_.DxgkCbNotifyInterrupt(callbacks_.DeviceHandle, &data);
}

}  // namespace reference_kmd
