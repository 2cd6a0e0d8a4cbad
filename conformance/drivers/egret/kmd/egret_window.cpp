// The CPU's window onto local memory: the CPU host aperture.
#include "egret_kmd.h"

NTSTATUS EgretMapCpuHostAperture(IN_CONST_HANDLE handle,
                                 IN_CONST_PDXGKARG_MAPCPUHOSTAPERTURE args) {
  Adapter& adapter = *(Adapter*)handle;
  if (args->SegmentId != kSegmentLocal || args->PhysicalAdapterIndex != 0)
    return STATUS_INVALID_PARAMETER;
  for (UINT64 i = 0; i < args->NumberOfPages; ++i)
    if (args->pCpuHostAperturePages[i] >= EG_WINDOW_PAGES ||
        args->pMemorySegmentPages[i] >= EG_VRAM_SIZE / EG_WINDOW_PAGE)
      return STATUS_INVALID_PARAMETER;
  for (UINT64 i = 0; i < args->NumberOfPages; ++i) {
    KIRQL irql;
    KeAcquireSpinLock(&adapter.MmioLock, &irql);
    const UINT index = args->pCpuHostAperturePages[i];
    adapter.Window[index] = (UINT)args->pMemorySegmentPages[i] | EG_WIN_VALID;
    if (adapter.Powered) {
      WriteReg(adapter.Registers, EG_REG_WIN_INDEX, index);
      WriteReg(adapter.Registers, EG_REG_WIN_PAGE, adapter.Window[index]);
    }
    KeReleaseSpinLock(&adapter.MmioLock, irql);
  }
  return STATUS_SUCCESS;
}

NTSTATUS EgretUnmapCpuHostAperture(IN_CONST_HANDLE handle,
                                   IN_CONST_PDXGKARG_UNMAPCPUHOSTAPERTURE args) {
  Adapter& adapter = *(Adapter*)handle;
  if (args->SegmentId != kSegmentLocal || args->PhysicalAdapterIndex != 0)
    return STATUS_INVALID_PARAMETER;
  for (UINT64 i = 0; i < args->NumberOfPages; ++i)
    if (args->pCpuHostAperturePages[i] >= EG_WINDOW_PAGES) return STATUS_INVALID_PARAMETER;
  for (UINT64 i = 0; i < args->NumberOfPages; ++i) {
    KIRQL irql;
    KeAcquireSpinLock(&adapter.MmioLock, &irql);
    const UINT index = args->pCpuHostAperturePages[i];
    adapter.Window[index] = 0;
    if (adapter.Powered) {
      WriteReg(adapter.Registers, EG_REG_WIN_INDEX, index);
      WriteReg(adapter.Registers, EG_REG_WIN_PAGE, 0);
    }
    KeReleaseSpinLock(&adapter.MmioLock, irql);
  }
  return STATUS_SUCCESS;
}
