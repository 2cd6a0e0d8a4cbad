// Initialises a timer that is set and a DPC that is queued.
#include "after_start.h"

static VOID routine(PKDPC, PVOID, PVOID, PVOID) {}

static void deed() {
  static KTIMER timer;
  static KDPC dpc;
  LARGE_INTEGER due;
  due.QuadPart = -10'000'000;
  KeInitializeTimer(&timer);
  KeSetTimer(&timer, due, nullptr);
  KeInitializeTimer(&timer);
  KeSetTimer(&timer, due, nullptr);
  KIRQL before;
  KeInitializeDpc(&dpc, routine, nullptr);
  KeRaiseIrql(DISPATCH_LEVEL, &before);
  KeInsertQueueDpc(&dpc, nullptr, nullptr);
  KeInitializeDpc(&dpc, routine, nullptr);
  KeLowerIrql(before);
  due.QuadPart = -50'000'000;
  KeDelayExecutionThread(KernelMode, FALSE, &due);
  KeCancelTimer(&timer);
}
