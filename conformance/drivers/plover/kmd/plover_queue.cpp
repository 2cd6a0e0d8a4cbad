// Queues of packets, the ring of events, preemption.
#include "plover_kmd.h"

static volatile UINT* Producer(Adapter* a) {
  return (volatile UINT*)(a->Shared + PLOVER_EVENT_COUNT * sizeof(PloverEvent));
}

// Tells the hardware where everything lies: after power on and after a reset, which forgets it.
void ProgramNodes(Adapter* a) {
  a->EventsConsumed = 0;
  *Producer(a) = 0;
  Write64(a, PLOVER_EVENT_BASE, a->SharedPhysical);
  Write32(a, PLOVER_EVENT_ENTRIES, PLOVER_EVENT_COUNT);
  Write64(a, PLOVER_FENCE_BASE, a->SharedPhysical + PLOVER_FENCE_OFFSET);
  for (UINT n = 0; n < PLOVER_NODES; ++n) {
    NodeState* s = &a->Nodes[n];
    s->Tail = 0;
    Write64(a, PLOVER_NODE(n) + PLOVER_RING_BASE, a->SharedPhysical + PAGE_SIZE * (n + 1));
    Write32(a, PLOVER_NODE(n) + PLOVER_RING_ENTRIES, PLOVER_RING_COUNT);
    Write32(a, PLOVER_NODE(n) + PLOVER_POWER, s->FState);
  }
}

static void Notify(Adapter* a, DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  a->Dxgk.DxgkCbNotifyInterrupt(a->Dxgk.DeviceHandle, data);
}

static void NotifyPreempted(Adapter* a, UINT node, UINT fence) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = fence;
  data.DmaPreempted.LastCompletedFenceId = a->Nodes[node].LastCompleted;
  data.DmaPreempted.NodeOrdinal = node;
  Notify(a, &data);
}

static void NotifyCompleted(Adapter* a, UINT node, UINT fence) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = fence;
  data.DmaCompleted.NodeOrdinal = node;
  Notify(a, &data);
}

static void NotifySignaled(Adapter* a, UINT node) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED;
  data.MonitoredFenceSignaled.NodeOrdinal = node;
  Notify(a, &data);
}

// The node halts until it is reset, whatever is to blame.
static void NotifyFaulted(Adapter* a, const PloverEvent* e) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  HANDLE process = e->space < PLOVER_SPACES ? a->DxgkProcesses[e->space] : NULL;
  int flags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
  data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  data.DmaPageFaulted.FaultedFenceId = e->fence;
  data.DmaPageFaulted.FaultedPrimitiveAPISequenceNumber =
      DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN;
  data.DmaPageFaulted.FaultedPipelineStage = DXGK_RENDER_PIPELINE_STAGE_UNKNOWN;
  data.DmaPageFaulted.FaultedBindTableEntry = DXGK_BIND_TABLE_ENTRY_UNKNOWN;
  data.DmaPageFaulted.NodeOrdinal = e->node;
  data.DmaPageFaulted.FaultedProcessHandle = process;
  if (process) flags |= DXGK_PAGE_FAULT_PROCESS_HANDLE_VALID;
  if (e->type == PLOVER_EVENT_PAGE_FAULT) {
    if (e->argument & PLOVER_FAULT_WRITE) flags |= DXGK_PAGE_FAULT_WRITE;
    data.DmaPageFaulted.FaultedVirtualAddress = e->address;
    data.DmaPageFaulted.PageTableLevel = e->argument & PLOVER_FAULT_LEVEL;
    data.DmaPageFaulted.FaultErrorCode.GeneralErrorCode = DXGK_GENERAL_ERROR_PAGE_FAULT;
  } else {
    data.DmaPageFaulted.FaultedVirtualAddress = D3DGPU_NULL;
    data.DmaPageFaulted.FaultErrorCode.GeneralErrorCode = DXGK_GENERAL_ERROR_INVALID_INSTRUCTION;
  }
  data.DmaPageFaulted.PageFaultFlags = (DXGK_PAGE_FAULT_FLAGS)flags;
  Notify(a, &data);
}

static void OneEvent(Adapter* a, const PloverEvent* e, BOOLEAN quiet) {
  NodeState* s = &a->Nodes[e->node];
  switch (e->type) {
    case PLOVER_EVENT_COMPLETED:
    case PLOVER_EVENT_SKIPPED:  // SubmitCommandVirtual refused it: nobody waits for it
      s->LastCompleted = e->fence;
      InterlockedDecrement(&s->InFlight);
      if (!quiet && e->type == PLOVER_EVENT_COMPLETED) NotifyCompleted(a, e->node, e->fence);
      break;
    case PLOVER_EVENT_PREEMPTED:
      InterlockedExchange(&s->InFlight, 0);
      if (!quiet) NotifyPreempted(a, e->node, e->fence);
      break;
    case PLOVER_EVENT_PAGE_FAULT:
    case PLOVER_EVENT_BAD_COMMAND:
      if (!quiet) NotifyFaulted(a, e);
      break;
    case PLOVER_EVENT_SIGNALED:
      if (!quiet) NotifySignaled(a, e->node);
      break;
    default:
      break;
  }
}

UINT DrainEvents(Adapter* a, UINT quiet_node) {
  UINT drained = 0;
  while (a->EventsConsumed != *Producer(a)) {
    PloverEvent e;
    KeMemoryBarrier();  // the number says that the event lies there
    RtlCopyMemory(&e, a->Shared + a->EventsConsumed % PLOVER_EVENT_COUNT * sizeof e, sizeof e);
    ++a->EventsConsumed;
    if (e.node < PLOVER_NODES) OneEvent(a, &e, e.node == quiet_node);
    ++drained;
  }
  if (drained) Write32(a, PLOVER_EVENT_CONSUMED, a->EventsConsumed);
  return drained;
}

BOOLEAN PloverInterrupt(IN_CONST_PVOID context, IN_ULONG) {
  Adapter* a = (Adapter*)context;
  if (!a->Powered || !(Read32(a, PLOVER_INT_STATUS) & 1)) return FALSE;
  Write32(a, PLOVER_INT_STATUS, 1);
  if (DrainEvents(a, ~0u)) a->Dxgk.DxgkCbQueueDpc(a->Dxgk.DeviceHandle);
  return TRUE;
}

VOID PloverDpc(IN_CONST_PVOID context) {
  Adapter* a = (Adapter*)context;
  a->Dxgk.DxgkCbNotifyDpc(a->Dxgk.DeviceHandle);
}

// What user mode tells of its commands is its word alone.
static BOOLEAN WellFormed(const Context* c, const DXGKARG_SUBMITCOMMANDVIRTUAL* args) {
  const PloverSubmitData* data = (const PloverSubmitData*)args->pDmaBufferPrivateData;
  if (args->DmaBufferSize % sizeof(PloverCommand)) return FALSE;
  if (!c || c->System || !args->DmaBufferSize || args->Flags.NullRendering) return TRUE;
  return data && args->DmaBufferUmdPrivateDataSize >= sizeof *data &&
         data->magic == PLOVER_SUBMIT_MAGIC &&
         data->commands == args->DmaBufferSize / sizeof(PloverCommand);
}

// Paging comes without a context: it runs in the system context of the node, where the first one
// of the node is; of that there is none before anything pages.
NTSTATUS PloverSubmitCommandVirtual(IN_CONST_HANDLE hAdapter,
                                    IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL args) {
  Adapter* a = (Adapter*)hAdapter;
  Context* c = FindAs<Context>(args->hContext);
  if (args->hContext && !c) return STATUS_INVALID_PARAMETER;
  if (!c && args->NodeOrdinal < PLOVER_NODES) c = a->SystemContexts[args->NodeOrdinal];
  if (!c && args->DmaBufferSize) return STATUS_INVALID_PARAMETER;
  const UINT node = c ? c->Node : args->NodeOrdinal;
  if (node >= PLOVER_NODES) return STATUS_INVALID_PARAMETER;
  const BOOLEAN good = WellFormed(c, args);
  PloverPacket p = {};
  p.fence = args->SubmissionFenceId;
  if (!good) {
    p.flags = PLOVER_PACKET_SKIP;
  } else if (c) {
    p.flags = (c->System ? PLOVER_PACKET_PRIVILEGED : 0) |
              (args->Flags.Resubmission ? PLOVER_PACKET_RESUME : 0);
    p.address = args->DmaBufferVirtualAddress;
    p.bytes = args->Flags.NullRendering ? 0 : args->DmaBufferSize;
    p.root = c->Root;
    p.root_entries = c->RootEntries;
    p.space = c->Parent->Parent ? c->Parent->Parent->Space : 0;
    p.save_address = c->SaveAddress;
  }
  KIRQL irql;
  KeAcquireSpinLock(&a->SubmitLock, &irql);
  NodeState* s = &a->Nodes[node];
  PloverPacket* ring = (PloverPacket*)(a->Shared + PAGE_SIZE * (node + 1));
  RtlCopyMemory(&ring[s->Tail % PLOVER_RING_COUNT], &p, sizeof p);
  KeMemoryBarrier();  // the packet lies there before the tail says so
  s->LastSubmitted = p.fence;
  InterlockedIncrement(&s->InFlight);
  ++s->Tail;
  Write32(a, PLOVER_NODE(node) + PLOVER_RING_TAIL, s->Tail);
  KeReleaseSpinLock(&a->SubmitLock, irql);
  return good ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

// With nothing in flight the hardware need not be asked.
static BOOLEAN PreemptSynchronized(PVOID context) {
  NodeRequest* r = (NodeRequest*)context;
  if (r->Owner->Nodes[r->Node].InFlight == 0) {
    NotifyPreempted(r->Owner, r->Node, r->Fence);
    r->Owner->Dxgk.DxgkCbQueueDpc(r->Owner->Dxgk.DeviceHandle);
  } else {
    Write32(r->Owner, PLOVER_NODE(r->Node) + PLOVER_PREEMPT, r->Fence);
  }
  return TRUE;
}

NTSTATUS PloverPreemptCommand(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_PREEMPTCOMMAND args) {
  Adapter* a = (Adapter*)hAdapter;
  NodeRequest r = {a, args->NodeOrdinal, args->PreemptionFenceId};
  if (args->NodeOrdinal >= PLOVER_NODES || args->EngineOrdinal) return STATUS_INVALID_PARAMETER;
  return Synchronize(a, PreemptSynchronized, &r);
}
