// DPC services. Threaded DPCs run like ordinary ones, and low importance only means the end of the
// queue: a DPC on the queue of the CPU that drops below DISPATCH_LEVEL runs there and then.
#include "conformance/host/nt/memory/active_memory.h"
#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/machine.h"
#include "conformance/host/nt/core/fiber_scheduler.h"

using namespace wddm::nt;

namespace {

void dpc_init(const Service& service, PRKDPC dpc, PKDEFERRED_ROUTINE routine, void* context) {
  retire_object(service, dpc);
  DpcBlock& block = dpc_of(dpc);
  block = {};
  block.type = kDpcType;
  block.importance = MediumImportance;
  block.routine = reinterpret_cast<void (*)(DpcBlock*, void*, void*, void*)>(routine);
  block.context = context;
  list_init(block.link);
}

bool check_dpc(const Service& service, PRKDPC dpc) {
  if (dpc != nullptr && dpc->Type == kDpcType) return true;
  service.report(FindingKind::BadParameter, "the DPC was not initialised");
  return false;
}

bool set_target(const Service& service, PRKDPC dpc, std::uint32_t cpu) {
  if (!check_dpc(service, dpc)) return false;
  if (cpu >= kCpus) {
    service.report(FindingKind::BadParameter, "no such processor");
    return false;
  }
  dpc_of(dpc).target = static_cast<std::uint16_t>(cpu + 1);
  return true;
}

bool any_dpc_queued_or_running() {
  for (const Cpu& cpu : machine().cpus)
    if (!list_empty(cpu.dpcs) || cpu.draining) return true;
  return false;
}

}  // namespace

VOID KeInitializeDpc(PRKDPC Dpc, PKDEFERRED_ROUTINE DeferredRoutine, PVOID DeferredContext) {
  NT_SERVICE(KeInitializeDpc);
  dpc_init(service, Dpc, DeferredRoutine, DeferredContext);
}

VOID KeInitializeThreadedDpc(PRKDPC Dpc, PKDEFERRED_ROUTINE DeferredRoutine,
                             PVOID DeferredContext) {
  NT_SERVICE(KeInitializeThreadedDpc);
  dpc_init(service, Dpc, DeferredRoutine, DeferredContext);
}

BOOLEAN KeInsertQueueDpc(PRKDPC Dpc, PVOID SystemArgument1, PVOID SystemArgument2) {
  NT_SERVICE(KeInsertQueueDpc);
  if (!check_dpc(service, Dpc)) return FALSE;
  const bool queued = dpc_queue(dpc_of(Dpc), SystemArgument1, SystemArgument2);
  deliver_if_any();
  yield_point();
  return queued;
}

BOOLEAN KeRemoveQueueDpc(PRKDPC Dpc) {
  NT_SERVICE(KeRemoveQueueDpc);
  if (!check_dpc(service, Dpc)) return FALSE;
  const bool removed = dpc_remove(dpc_of(Dpc));
  yield_point();
  return removed;
}

VOID KeFlushQueuedDpcs(void) {
  NT_SERVICE(KeFlushQueuedDpcs);
  deliver_if_any();
  // While the host holds DPCs back there is nothing to wait for but the host itself.
  while (any_dpc_queued_or_running() && !machine().interrupt.dpcs_held) yield();
}

VOID KeSetTargetProcessorDpc(PRKDPC Dpc, CCHAR Number) {
  NT_SERVICE(KeSetTargetProcessorDpc);
  static_cast<void>(set_target(service, Dpc, static_cast<std::uint8_t>(Number)));
}

NTSTATUS KeSetTargetProcessorDpcEx(PKDPC Dpc, PPROCESSOR_NUMBER ProcNumber) {
  NT_SERVICE(KeSetTargetProcessorDpcEx);
  const std::uint32_t cpu = ProcNumber->Group == 0 ? ProcNumber->Number : kCpus;
  return set_target(service, Dpc, cpu) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

VOID KeSetImportanceDpc(PRKDPC Dpc, KDPC_IMPORTANCE Importance) {
  NT_SERVICE(KeSetImportanceDpc);
  if (check_dpc(service, Dpc)) Dpc->Importance = static_cast<UCHAR>(Importance);
}

BOOLEAN KeSynchronizeExecution(PKINTERRUPT, PKSYNCHRONIZE_ROUTINE SynchronizeRoutine,
                               PVOID SynchronizeContext) {
  NT_SERVICE(KeSynchronizeExecution);
  struct Call {
    PKSYNCHRONIZE_ROUTINE routine;
    void* context;
  } call{SynchronizeRoutine, SynchronizeContext};
  return synchronize(
      [](void* context) {
        const auto* made = static_cast<Call*>(context);
        return made->routine(made->context) != 0;
      },
      &call, reinterpret_cast<const void*>(SynchronizeRoutine));
}
