/* Recovery from timeouts, of the whole adapter: this interface knows no other. */
#include "heron_kmd.h"

/* Whatever the engine had is gone, and the scheduler knows that. */
BOOLEAN HeronResetSync(PVOID context) {
  HERON_ADAPTER* a = context;
  HeronWrite(a, HREG_INT_ENABLE, 0);
  HeronWrite(a, HREG_CONTROL, HCONTROL_RESET);
  HeronWrite(a, HREG_INT_STATUS, HINT_ALL);
  for (UINT node = 0; node < HERON_NODES; ++node) {
    HERON_NODE* n = &a->Node[node];
    /* What was submitted counts as completed from here on. */
    n->LastDone = a->Fences[node].done = n->LastQueued;
    n->Preempting = FALSE;
  }
  return TRUE;
}

NTSTATUS HeronResetFromTimeout(IN_CONST_HANDLE hAdapter) {
  PAGED_CODE();
  HERON_ADAPTER* a = hAdapter;
  InterlockedExchange(&a->Resetting, 1);
  if (!HeronSynchronize(a, HeronResetSync, a)) HeronResetSync(a);
  for (UINT tries = 0; tries < 1000 && (HeronRead(a, HREG_CONTROL) & HCONTROL_RESET); ++tries)
    KeStallExecutionProcessor(10);
  return STATUS_SUCCESS;
}

NTSTATUS HeronRestartFromTimeout(IN_CONST_HANDLE hAdapter) {
  PAGED_CODE();
  HERON_ADAPTER* a = hAdapter;
  HeronProgram(a);
  InterlockedExchange(&a->Resetting, 0);
  HeronWrite(a, HREG_INT_ENABLE, HINT_ALL);
  return STATUS_SUCCESS;
}

NTSTATUS HeronCollectDbgInfo(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_COLLECTDBGINFO info) {
  HERON_ADAPTER* a = hAdapter;
  UINT report[16];
  RtlZeroMemory(report, sizeof(report));
  report[0] = HERON_ID_VALUE;
  report[1] = info->Reason;
  if (a->Powered && a->Registers) {
    report[2] = HeronRead(a, HREG_CONTROL);
    report[3] = HeronRead(a, HREG_INT_STATUS);
    report[4] = HeronRead(a, HREG_RING_HEAD);
    report[5] = HeronRead(a, HREG_CURRENT_FENCE);
    report[6] = HeronRead(a, HREG_CURRENT_OFFSET);
    report[7] = HeronRead(a, HREG_ENGINE);
  }
  report[8] = a->RingTail;
  for (UINT node = 0; node < HERON_NODES; ++node) {
    report[9 + 2 * node] = a->Node[node].LastQueued;
    report[10 + 2 * node] = a->Node[node].LastDone;
  }
  if (info->pBuffer && info->BufferSize)
    RtlCopyMemory(info->pBuffer, report, min(info->BufferSize, sizeof(report)));
  if (info->pExtension && info->Reason == VIDEO_TDR_TIMEOUT_DETECTED) {
    info->pExtension->BucketingKey = report[7] ? 'BUSY' : 'IDLE';
    info->pExtension->CurrentDmaBufferOffset = report[6];
  }
  return STATUS_SUCCESS;
}
