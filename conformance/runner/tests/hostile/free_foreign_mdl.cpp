// Frees the MDLs that Dxgkrnl describes system memory with.
#include "hostile.h"

static NTSTATUS build(IN_CONST_HANDLE adapter, IN_PDXGKARG_BUILDPAGINGBUFFER args) {
  const NTSTATUS status = conforming.DxgkDdiBuildPagingBuffer(adapter, args);
  if (args->Operation != DXGK_OPERATION_TRANSFER) return status;
  PMDL source = args->Transfer.Source.SegmentId == 0 ? args->Transfer.Source.pMdl : nullptr;
  PMDL target =
      args->Transfer.Destination.SegmentId == 0 ? args->Transfer.Destination.pMdl : nullptr;
  if (source != nullptr) ExFreePool(source);
  if (target != nullptr) ExFreePool(target);
  return status;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiBuildPagingBuffer = build;
}
