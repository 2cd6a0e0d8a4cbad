// What is asked of a GPU while it works: its clock, its counts, its state after a timeout.
#include "merlin_kmd.h"

NTSTATUS MerlinCalibrateGpuClock(IN_CONST_HANDLE adapter, UINT32 node, UINT32 index,
                                 OUT_PDXGKARG_CALIBRATEGPUCLOCK out) {
  MerlinGpu* gpu = MerlinGpuOf(adapter, index);
  if (!gpu || !out || node >= MERLIN_NODES || !gpu->powered) return STATUS_INVALID_PARAMETER;
  UINT high, low;
  do {
    high = MerlinRead(gpu, MR_CLOCK_HI);
    low = MerlinRead(gpu, MR_CLOCK_LO);
  } while (high != MerlinRead(gpu, MR_CLOCK_HI));
  RtlZeroMemory(out, sizeof(*out));
  out->GpuFrequency = MR_CLOCK_HZ;
  out->GpuClockCounter = static_cast<UINT64>(high) << 32 | low;
  out->CpuClockCounter = static_cast<UINT64>(KeQueryPerformanceCounter(nullptr).QuadPart);
  return STATUS_SUCCESS;
}

NTSTATUS MerlinEscapeCall(IN_CONST_HANDLE adapter, IN_CONST_PDXGKARG_ESCAPE e) {
  PAGED_CODE();
  if (!adapter || !e || !e->pPrivateDriverData || e->PrivateDriverDataSize != sizeof(MerlinEscape))
    return STATUS_INVALID_PARAMETER;
  MerlinEscape* data = static_cast<MerlinEscape*>(e->pPrivateDriverData);
  const MerlinEscape in = *data;
  MerlinGpu* gpu = MerlinGpuOf(adapter, in.gpu);
  if (in.magic != MERLIN_MAGIC_ESCAPE || in.abi != MERLIN_ABI || !gpu)
    return STATUS_INVALID_PARAMETER;
  data->packets = 0;
  for (UINT n = 0; n < MERLIN_NODES; n++) data->packets += gpu->engine[n].packets;
  return STATUS_SUCCESS;
}

#define MERLIN_BUGCHECK_ADAPTER_TDR 0x117u
#define MERLIN_BUGCHECK_ENGINE_TDR 0x141u
NTSTATUS MerlinCollectDbgInfo(IN_CONST_HANDLE adapter, IN_CONST_PDXGKARG_COLLECTDBGINFO info) {
  if (!adapter || !info) return STATUS_UNSUCCESSFUL;
  const bool timeout =
      info->Reason == MERLIN_BUGCHECK_ADAPTER_TDR || info->Reason == MERLIN_BUGCHECK_ENGINE_TDR;
  UINT* out = static_cast<UINT*>(info->pBuffer);
  SIZE_T room = out ? info->BufferSize / sizeof(UINT) : 0;
  for (UINT i = 0; i < MERLIN_LINKS; i++) {
    MerlinGpu* gpu = MerlinGpuOf(adapter, i);
    if (!gpu) continue;
    for (UINT n = 0; n < MERLIN_NODES; n++) {
      const UINT words[4] = {
          i << 16 | n, gpu->engine[n].submitted, gpu->engine[n].completed,
          timeout && gpu->powered ? MerlinRead(gpu, MR_ENGINE(n) + ME_STATUS) : 0};
      for (UINT w = 0; w < 4 && room; w++, room--) *out++ = words[w];
    }
  }
  if (info->pExtension) {
    RtlZeroMemory(info->pExtension, sizeof(*info->pExtension));
    info->pExtension->BucketingKey = info->Reason;
  }
  return STATUS_SUCCESS;
}
