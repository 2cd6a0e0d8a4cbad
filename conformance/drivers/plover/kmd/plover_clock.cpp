// The clock of the GPU, and time stamps that it has left.
#include "plover_kmd.h"

NTSTATUS PloverCalibrateGpuClock(IN_CONST_HANDLE hAdapter, UINT32 node, UINT32 engine,
                                 OUT_PDXGKARG_CALIBRATEGPUCLOCK c) {
  Adapter* a = (Adapter*)hAdapter;
  if (node >= PLOVER_NODES || engine) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(c, sizeof *c);
  c->GpuFrequency = PLOVER_CLOCK_HZ;
  c->GpuClockCounter = READ_REGISTER_ULONG64((volatile ULONG64*)(a->Registers + PLOVER_CLOCK));
  c->CpuClockCounter = (UINT64)KeQueryPerformanceCounter(NULL).QuadPart;
  return STATUS_SUCCESS;
}

// The hardware writes time stamps of 64 bits behind the private data of the header.
NTSTATUS PloverFormatHistoryBuffer(IN_CONST_HANDLE, DXGKARG_FORMATHISTORYBUFFER* f) {
  const DXGK_HISTORY_BUFFER* b = f->pHistoryBuffer;
  if (!b || !f->pFormattedBuffer || f->HistoryBufferSize < sizeof b->Header)
    return STATUS_INVALID_PARAMETER;
  const UINT32 room = f->HistoryBufferSize - sizeof b->Header;
  if (b->Header.PrivateDataSize > room) return STATUS_INVALID_PARAMETER;
  const UINT8* stamps = b->DriverPrivateData + b->Header.PrivateDataSize;
  UINT32 total = (room - b->Header.PrivateDataSize) / 8, fits = f->FormattedBufferSize / 8;
  if (b->Header.NumTimestamps < total) total = b->Header.NumTimestamps;
  const UINT32 first = f->Offset < total ? f->Offset : total;
  const UINT32 count = total - first < fits ? total - first : fits;
  RtlCopyMemory(f->pFormattedBuffer, stamps + (SIZE_T)first * 8, (SIZE_T)count * 8);
  f->NumTimestamps = count;
  f->Precision.PrecisionBits = 64;
  f->Offset = first + count < total ? first + count : 0;
  return STATUS_SUCCESS;
}
