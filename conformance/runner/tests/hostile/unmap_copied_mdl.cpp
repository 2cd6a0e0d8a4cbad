// Unmaps an MDL a second time, by a copy that was made while it was mapped.
#include "after_start.h"

static void deed() {
  constexpr ULONG kBytes = 2 * PAGE_SIZE;
  PVOID block = ExAllocatePoolWithTag(NonPagedPoolNx, kBytes, 'tsoH');
  PMDL mdl = IoAllocateMdl(block, kBytes, FALSE, FALSE, nullptr);
  MmProbeAndLockPages(mdl, KernelMode, IoWriteAccess);
  PVOID view =
      MmMapLockedPagesSpecifyCache(mdl, KernelMode, MmCached, nullptr, FALSE, NormalPagePriority);
  UCHAR copy[256];
  RtlCopyMemory(copy, mdl, mdl->Size);
  MmUnmapLockedPages(view, mdl);
  MmUnmapLockedPages(view, reinterpret_cast<PMDL>(copy));
  MmUnlockPages(mdl);
  IoFreeMdl(mdl);
  ExFreePool(block);
}
