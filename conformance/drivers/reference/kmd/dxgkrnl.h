// What the driver asks of Dxgkrnl: the callbacks of DXGKRNL_INTERFACE, saved at StartDevice and
// always called with the DeviceHandle that came with them.
#pragma once

#include "kmd_driver.h"

namespace reference_kmd {

// What the hardware says of a page fault.
struct PageFault {
  UINT fence = 0;
  ULONGLONG address = 0;
  UINT level = 0;
  bool write = false;
  bool io_mmu = false;       // the IOMMU found it
  HANDLE process = nullptr;  // Dxgkrnl's; null if there is none
};

class Dxgkrnl {
 public:
  void save(const DXGKRNL_INTERFACE& given) { callbacks_ = given; }
  /// Which GPU of a link reports.
  void set_engine_ordinal(UINT ordinal) { engine_ordinal_ = ordinal; }

  HANDLE device_handle() const { return callbacks_.DeviceHandle; }
  NTSTATUS device_information(DXGK_DEVICE_INFO* information) {
    return callbacks_.DxgkCbGetDeviceInformation(callbacks_.DeviceHandle, information);
  }
  NTSTATUS map_memory(PHYSICAL_ADDRESS address, ULONG bytes, PVOID* mapped) {
    return callbacks_.DxgkCbMapMemory(callbacks_.DeviceHandle, address, bytes, FALSE, FALSE,
                                      MmNonCached, mapped);
  }
  void unmap_memory(PVOID mapped) { callbacks_.DxgkCbUnmapMemory(callbacks_.DeviceHandle, mapped); }
  /// Addresses anywhere behind the first root entry, in multiples of what a leaf table covers.
  NTSTATUS reserve_addresses(HANDLE process, ULONGLONG bytes, ULONG coverage, ULONGLONG* start) {
    DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE request = {};
    request.hDxgkProcess = process;
    request.SizeInBytes = bytes;
    request.Alignment = coverage;
    const NTSTATUS status =
        callbacks_.DxgkCbReserveGpuVirtualAddressRange(callbacks_.DeviceHandle, &request);
    *start = request.StartVirtualAddress;
    return status;
  }
  /// Contiguous memory that stays in the device's reach when the IOMMU isolates it.
  NTSTATUS allocate_memory(SIZE_T bytes, void** memory, HANDLE* handle);
  void free_memory(HANDLE handle);
  /// `bytes` in video memory for the context that Dxgkrnl calls so, reached by the hardware where
  /// InitContextResource says it lies; `own` is the driver's handle.
  NTSTATUS create_context_allocation(HANDLE context, void* own, SIZE_T bytes, UINT segment,
                                     HANDLE* allocation);
  void destroy_context_allocation(HANDLE allocation) {
    callbacks_.DxgkCbDestroyContextAllocation(callbacks_.DeviceHandle, allocation);
  }
  /// The address that the GPU has all of it by in the process of its context; 0: none.
  ULONGLONG map_context_allocation(HANDLE allocation, SIZE_T bytes);
  /// Has UpdateContextAllocation called with this data, and waits until the GPU has carried it out.
  NTSTATUS update_context_allocation(HANDLE allocation, void* data, UINT bytes) {
    DXGKARGCB_UPDATECONTEXTALLOCATION request = {};
    request.hAllocation = allocation;
    request.pPrivateDriverData = data;
    request.PrivateDriverDataSize = bytes;
    return callbacks_.DxgkCbUpdateContextAllocation(callbacks_.DeviceHandle, &request);
  }
  /// The driver's handle behind a kernel-mode allocation handle; null if there is none.
  void* allocation_data(D3DKMT_HANDLE allocation);

  /// Runs `routine()` at device IRQL, where the interrupt routine can't interfere. False if it did
  /// not run, because no interrupt is connected.
  template <class Routine>
  bool synchronize(Routine routine) {
    BOOLEAN result = FALSE;
    const NTSTATUS status = callbacks_.DxgkCbSynchronizeExecution(
        callbacks_.DeviceHandle,
        [](PVOID context) -> BOOLEAN {
          (*static_cast<Routine*>(context))();
          return TRUE;
        },
        &routine, 0, &result);
    return NT_SUCCESS(status);
  }

  // At device IRQL only.
  void notify_completed(UINT node, UINT fence);
  void notify_preempted(UINT node, UINT request, UINT last_completed);
  void notify_page_fault(UINT node, const PageFault& fault);
  void notify_retrace();
  /// At DISPATCH_LEVEL at most.
  void complete_f_state(UINT component) {
    callbacks_.DxgkCbCompleteFStateTransition(callbacks_.DeviceHandle, component);
  }
  void queue_dpc() { callbacks_.DxgkCbQueueDpc(callbacks_.DeviceHandle); }

  /// From the DPC.
  void notify_dpc() { callbacks_.DxgkCbNotifyDpc(callbacks_.DeviceHandle); }

 private:
  DXGKRNL_INTERFACE callbacks_ = {};
  UINT engine_ordinal_ = 0;
};

}  // namespace reference_kmd
