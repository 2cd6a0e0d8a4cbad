// Entry points that a device which only computes must have, and others need not.
//
// The GPU counts what the CPU counts, so that both clocks are one. CalibrateGpuClock comes at
// DISPATCH_LEVEL: nothing here is pageable.
#include "driver_ddis.h"
#include "../kmd_addressing.h"

namespace reference_kmd {

NTSTATUS ddi_calibrate_gpu_clock(IN_CONST_HANDLE, UINT32 NodeOrdinal, UINT32 EngineOrdinal,
                                 OUT_PDXGKARG_CALIBRATEGPUCLOCK pClockCalibration) {
  // Of a link the engine says which GPU it is.
  if (NodeOrdinal >= HW_NODE_COUNT || EngineOrdinal >= gpus_of_link()) {
    return STATUS_INVALID_PARAMETER;
  }
  LARGE_INTEGER frequency = {};
  const LARGE_INTEGER now = KeQueryPerformanceCounter(&frequency);
  RtlZeroMemory(pClockCalibration, sizeof *pClockCalibration);
  pClockCalibration->GpuFrequency = static_cast<UINT64>(frequency.QuadPart);
  pClockCalibration->GpuClockCounter = static_cast<UINT64>(now.QuadPart);
  pClockCalibration->CpuClockCounter = static_cast<UINT64>(now.QuadPart);
  return STATUS_SUCCESS;
}

// The engines write no history.
NTSTATUS ddi_format_history_buffer(IN_CONST_HANDLE, DXGKARG_FORMATHISTORYBUFFER* pFormatData) {
  pFormatData->NumTimestamps = 0;
  pFormatData->Precision.PrecisionBits = 64;
  pFormatData->Offset = 0;
  return STATUS_SUCCESS;
}

// Its clock never changes.
VOID ddi_set_stable_power_state(IN_CONST_HANDLE, IN_CONST_PDXGKARG_SETSTABLEPOWERSTATE) {}

// It has no connectors, so that none has changed.
NTSTATUS ddi_query_connection_change(IN_CONST_HANDLE, IN_PDXGKARG_QUERYCONNECTIONCHANGE) {
  return STATUS_NOT_SUPPORTED;
}

NTSTATUS ddi_set_virtual_machine_data(IN_CONST_HANDLE, IN_CONST_PDXGKARG_SETVIRTUALMACHINEDATA) {
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
