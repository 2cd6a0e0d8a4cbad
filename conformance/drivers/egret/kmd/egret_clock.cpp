// The clock of the GPU, and time stamps that it has left.
#include "egret_kmd.h"

NTSTATUS EgretCalibrateGpuClock(IN_CONST_HANDLE handle, UINT32 node, UINT32 engine,
                                OUT_PDXGKARG_CALIBRATEGPUCLOCK out) {
  Adapter& adapter = *(Adapter*)handle;
  if (node >= EG_NODES || engine != 0 || !out) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(out, sizeof(*out));
  out->GpuFrequency = 1000000;
  if (adapter.Started && adapter.Powered)
    out->GpuClockCounter = ReadReg64(adapter.Registers, EG_REG_CLOCK);
  LARGE_INTEGER frequency;
  out->CpuClockCounter = KeQueryPerformanceCounter(&frequency).QuadPart;
  return STATUS_SUCCESS;
}

NTSTATUS EgretFormatHistoryBuffer(IN_CONST_HANDLE, DXGKARG_FORMATHISTORYBUFFER* format) {
  PAGED_CODE();
  const UINT header = FIELD_OFFSET(DXGK_HISTORY_BUFFER, DriverPrivateData);
  if (!format->pHistoryBuffer || format->HistoryBufferSize < header)
    return STATUS_INVALID_PARAMETER;
  UINT n = format->pHistoryBuffer->Header.NumTimestamps;
  if (n > (format->HistoryBufferSize - header) / sizeof(UINT64))
    n = (format->HistoryBufferSize - header) / sizeof(UINT64);
  if (n > format->FormattedBufferSize / sizeof(UINT64))
    n = format->FormattedBufferSize / sizeof(UINT64);
  RtlCopyMemory(format->pFormattedBuffer, format->pHistoryBuffer->DriverPrivateData,
                n * sizeof(UINT64));
  format->NumTimestamps = n;
  format->Precision.PrecisionBits = 64;
  format->Offset = 0;
  return STATUS_SUCCESS;
}
