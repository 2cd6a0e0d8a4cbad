// Linking, starting, stopping and power of the GPUs of a board.
#include "merlin_kmd.h"

static LIST_ENTRY g_links;
static ULONG g_next_uid = 1;

void MerlinInitializeLinks(void) {
  InitializeListHead(&g_links);
}

NTSTATUS MerlinAddDevice(IN_CONST_PDEVICE_OBJECT pdo, OUT_PPVOID context) {
  PAGED_CODE();
  if (!pdo || !context) return STATUS_INVALID_PARAMETER;
  *context = nullptr;
  MerlinLink* link = nullptr;
  UINT slot = 0;
  for (PLIST_ENTRY e = g_links.Flink; e != &g_links && !link; e = e->Flink) {
    MerlinLink* l = CONTAINING_RECORD(e, MerlinLink, entry);
    for (UINT i = 0; i < MERLIN_LINKS; i++) {
      if (!l->gpu[i]) {
        link = l;
        slot = i;
        break;
      }
    }
  }
  MerlinGpu* gpu = MerlinNew<MerlinGpu>();
  if (!gpu) return STATUS_NO_MEMORY;
  if (!link) {
    link = MerlinNew<MerlinLink>();
    if (!link) {
      MerlinFree(gpu);
      return STATUS_NO_MEMORY;
    }
    link->uid = g_next_uid++;
    link->spaces[0] = 1;  // no process is address space 0
    ExInitializeFastMutex(&link->lock);
    InsertTailList(&g_links, &link->entry);
  }
  gpu->link = link;
  gpu->index = slot;
  gpu->pdo = pdo;
  link->gpu[slot] = gpu;
  *context = gpu;
  return STATUS_SUCCESS;
}

NTSTATUS MerlinRemoveDevice(IN_CONST_PVOID context) {
  PAGED_CODE();
  MerlinGpu* gpu = static_cast<MerlinGpu*>(context);
  if (!gpu) return STATUS_INVALID_PARAMETER;
  MerlinLink* link = gpu->link;
  link->gpu[gpu->index] = nullptr;
  MerlinFree(gpu);
  for (UINT i = 0; i < MERLIN_LINKS; i++)
    if (link->gpu[i]) return STATUS_SUCCESS;
  RemoveEntryList(&link->entry);
  MerlinFree(link);
  return STATUS_SUCCESS;
}

// The GPUs of a board are always linked; the first one leads.
NTSTATUS MerlinLinkDevice(IN_CONST_PDEVICE_OBJECT, IN_CONST_PVOID context,
                          INOUT_PLINKED_DEVICE linked) {
  PAGED_CODE();
  MerlinGpu* gpu = static_cast<MerlinGpu*>(context);
  if (!gpu || !linked) return STATUS_INVALID_PARAMETER;
  linked->ChainUid = gpu->link->uid;
  linked->NumberOfLinksInChain = MERLIN_LINKS;
  linked->LeadLink = gpu->index == 0;
  return STATUS_SUCCESS;
}

// Tells engine `node` where its ring is, and lets it run. Interrupt level, or nothing runs.
void MerlinProgramEngine(MerlinGpu* gpu, UINT node) {
  MerlinEngine* engine = &gpu->engine[node];
  const UINT base = MR_ENGINE(node);
  engine->tail = 0;
  engine->seen_progress = 0;
  MerlinWrite(gpu, base + ME_RING_LO, engine->ring_address.LowPart);
  MerlinWrite(gpu, base + ME_RING_HI, static_cast<UINT>(engine->ring_address.HighPart));
  MerlinWrite(gpu, base + ME_RING_COUNT, MERLIN_RING_ENTRIES);
  MerlinWrite(gpu, base + ME_DONE_FENCE, engine->completed);
  MerlinWrite(gpu, base + ME_CONTROL, ME_CONTROL_ENABLE);
}

// No engine works and no interrupt comes when this returns.
void MerlinQuiesce(MerlinGpu* gpu) {
  MerlinWrite(gpu, MR_INT_ENABLE, 0);
  for (UINT n = 0; n < MERLIN_NODES; n++)
    MerlinWrite(gpu, MR_ENGINE(n) + ME_CONTROL, ME_CONTROL_RESET);
  MerlinWrite(gpu, MR_INT_STATUS, MI_ALL);
  gpu->powered = FALSE;
}

// To be called when the memory of this GPU is known. Whichever of the two comes last tells both
// where they find each other.
void MerlinResume(MerlinGpu* gpu) {
  MerlinWrite(gpu, MR_GPU_RESET, 1);
  for (UINT n = 0; n < MERLIN_NODES; n++) MerlinProgramEngine(gpu, n);
  MerlinWrite(gpu, MR_INT_STATUS, MI_ALL);
  gpu->powered = TRUE;
  MerlinGpu* other = gpu->link->gpu[1 - gpu->index];
  if (other && other->started) {
    MerlinWrite(gpu, MR_PEER_LO, other->vram.LowPart);
    MerlinWrite(gpu, MR_PEER_HI, static_cast<UINT>(other->vram.HighPart));
    if (other->powered) {
      MerlinWrite(other, MR_PEER_LO, gpu->vram.LowPart);
      MerlinWrite(other, MR_PEER_HI, static_cast<UINT>(gpu->vram.HighPart));
    }
  }
  MerlinWrite(gpu, MR_INT_ENABLE, MI_ALL);
}

static void MerlinReleaseHardware(MerlinGpu* gpu) {
  for (UINT n = 0; n < MERLIN_NODES; n++) {
    if (gpu->engine[n].ring) MmFreeContiguousMemory(gpu->engine[n].ring);
  }
  RtlZeroMemory(gpu->engine, sizeof(gpu->engine));
  if (gpu->regs) gpu->dxgk.DxgkCbUnmapMemory(gpu->dxgk.DeviceHandle, gpu->regs);
  gpu->regs = nullptr;
  gpu->vram_bytes = 0;
}

static NTSTATUS MerlinFindResources(MerlinGpu* gpu, PHYSICAL_ADDRESS* regs) {
  DXGK_DEVICE_INFO info;
  RtlZeroMemory(&info, sizeof(info));
  NTSTATUS status = gpu->dxgk.DxgkCbGetDeviceInformation(gpu->dxgk.DeviceHandle, &info);
  if (!NT_SUCCESS(status)) return status;
  if (!info.TranslatedResourceList || info.TranslatedResourceList->Count == 0)
    return STATUS_DEVICE_CONFIGURATION_ERROR;
  const CM_PARTIAL_RESOURCE_LIST* list = &info.TranslatedResourceList->List[0].PartialResourceList;
  bool have_regs = false, have_interrupt = false;
  for (ULONG i = 0; i < list->Count; i++) {
    const CM_PARTIAL_RESOURCE_DESCRIPTOR* r = &list->PartialDescriptors[i];
    if (r->Type == CmResourceTypeInterrupt) have_interrupt = true;
    if (r->Type != CmResourceTypeMemory) continue;
    if (r->u.Memory.Length == MERLIN_REG_BYTES && !have_regs) {
      have_regs = true;
      *regs = r->u.Memory.Start;
    } else if (r->u.Memory.Length >= MERLIN_VRAM_BYTES) {
      gpu->vram = r->u.Memory.Start;
      gpu->vram_bytes = r->u.Memory.Length;
    }
  }
  return have_regs && have_interrupt && gpu->vram_bytes ? STATUS_SUCCESS
                                                        : STATUS_DEVICE_CONFIGURATION_ERROR;
}

NTSTATUS MerlinStartDevice(IN_CONST_PVOID context, IN_PDXGK_START_INFO start,
                           IN_PDXGKRNL_INTERFACE dxgk, OUT_PULONG sources, OUT_PULONG children) {
  PAGED_CODE();
  MerlinGpu* gpu = static_cast<MerlinGpu*>(context);
  if (!gpu || !start || !dxgk || !sources || !children) return STATUS_INVALID_PARAMETER;
  *sources = 0;
  *children = 0;
  RtlZeroMemory(&gpu->dxgk, sizeof(gpu->dxgk));
  RtlCopyMemory(&gpu->dxgk, dxgk, dxgk->Size < sizeof(gpu->dxgk) ? dxgk->Size : sizeof(gpu->dxgk));
  PHYSICAL_ADDRESS regs;
  NTSTATUS status = MerlinFindResources(gpu, &regs);
  if (!NT_SUCCESS(status)) return status;
  PVOID mapped = nullptr;
  status = gpu->dxgk.DxgkCbMapMemory(gpu->dxgk.DeviceHandle, regs, MERLIN_REG_BYTES, FALSE, FALSE,
                                     MmNonCached, &mapped);
  if (!NT_SUCCESS(status)) return status;
  gpu->regs = static_cast<PUCHAR>(mapped);
  PHYSICAL_ADDRESS low, high, boundary;
  low.QuadPart = 0;
  high.QuadPart = static_cast<LONGLONG>(MPTE_ADDRESS | 0xFFF);
  boundary.QuadPart = 0;
  status = MerlinRead(gpu, MR_ID) == MERLIN_ID_VALUE ? STATUS_SUCCESS : STATUS_NO_SUCH_DEVICE;
  for (UINT n = 0; n < MERLIN_NODES && NT_SUCCESS(status); n++) {
    const SIZE_T bytes = MERLIN_RING_ENTRIES * MERLIN_JOB_STRIDE;
    PVOID ring = MmAllocateContiguousMemorySpecifyCache(bytes, low, high, boundary, MmCached);
    if (!ring) {
      status = STATUS_NO_MEMORY;
      break;
    }
    RtlZeroMemory(ring, bytes);
    gpu->engine[n].ring = static_cast<MerlinJob*>(ring);
    gpu->engine[n].ring_address = MmGetPhysicalAddress(ring);
  }
  if (!NT_SUCCESS(status)) {
    MerlinReleaseHardware(gpu);
    return status;
  }
  gpu->started = TRUE;
  MerlinResume(gpu);
  return STATUS_SUCCESS;
}

NTSTATUS MerlinStopDevice(IN_CONST_PVOID context) {
  PAGED_CODE();
  MerlinGpu* gpu = static_cast<MerlinGpu*>(context);
  if (!gpu) return STATUS_INVALID_PARAMETER;
  if (!gpu->started) return STATUS_SUCCESS;
  if (gpu->powered) MerlinQuiesce(gpu);
  gpu->started = FALSE;
  MerlinReleaseHardware(gpu);
  return STATUS_SUCCESS;
}

NTSTATUS MerlinSetPowerState(IN_CONST_PVOID context, IN_ULONG uid, IN_DEVICE_POWER_STATE state,
                             IN_POWER_ACTION) {
  PAGED_CODE();
  MerlinGpu* gpu = static_cast<MerlinGpu*>(context);
  if (!gpu || uid != DISPLAY_ADAPTER_HW_ID || !gpu->started) return STATUS_SUCCESS;
  if (state == PowerDeviceD0) {
    if (!gpu->powered) MerlinResume(gpu);
  } else if (gpu->powered) {
    MerlinQuiesce(gpu);
  }
  return STATUS_SUCCESS;
}

VOID MerlinResetDevice(IN_CONST_PVOID context) {
  MerlinGpu* gpu = static_cast<MerlinGpu*>(context);
  if (gpu && gpu->powered) MerlinQuiesce(gpu);
}
