// Queues a DPC, by hand, to a processor that the machine does not have.
#include "after_start.h"

static VOID routine(PKDPC, PVOID, PVOID, PVOID) {}

static void deed() {
  static KDPC dpc;
  KeInitializeDpc(&dpc, routine, nullptr);
  dpc.Number = 77;
  KeInsertQueueDpc(&dpc, nullptr, nullptr);
}
