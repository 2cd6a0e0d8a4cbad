// Roots of page tables, and the form of an entry.
#include "merlin_kmd.h"

// Entries are added a page at a time, for a root of 1 to 32 pages: it is as long as the process
// needs.
SIZE_T MerlinGetRootPageTableSize(IN_CONST_HANDLE adapter,
                                  INOUT_PDXGKARG_GETROOTPAGETABLESIZE args) {
  PAGED_CODE();
  if (!adapter || !args) return 0;
  UINT64 entries = args->NumberOfPte ? args->NumberOfPte : 1;
  if (entries > 1u << MERLIN_ROOT_BITS) entries = 1u << MERLIN_ROOT_BITS;
  entries =
      (entries + MERLIN_ENTRIES_PER_PAGE - 1) & ~static_cast<UINT64>(MERLIN_ENTRIES_PER_PAGE - 1);
  args->NumberOfPte = static_cast<UINT>(entries);
  return entries * 8;
}

VOID MerlinSetRootPageTable(IN_CONST_HANDLE adapter, IN_CONST_PDXGKARG_SETROOTPAGETABLE args) {
  if (!adapter || !args || !args->hContext) return;
  MerlinContext* context = static_cast<MerlinContext*>(args->hContext);
  context->root_system = args->Address.SegmentId == 0;
  context->root = context->root_system ? args->Address.SegmentOffset
                                       : MERLIN_VRAM_BASE + args->Address.SegmentOffset;
  context->root_entries = args->NumEntries;
  // What the GPU has cached of the old tables may be gone with them.
  if (context->gpu->powered) MerlinWrite(context->gpu, MR_TLB_FLUSH, context->space);
}

// An entry as the hardware has it. Only one of a leaf table can name memory of the other GPU.
UINT64 MerlinEntry(const DXGK_PTE* pte, UINT level, UINT64 protection, UINT gpu) {
  if (pte->Zero) return MPTE_VALID | MPTE_ZERO;
  if (!pte->Valid) return 0;
  UINT64 entry = MPTE_VALID;
  if (pte->Segment == 0) {
    entry |= MPTE_SYSTEM | ((pte->PageAddress << 12) & MPTE_ADDRESS);
  } else if (pte->Segment == MERLIN_SEGMENT_LOCAL) {
    if (level == 0 && pte->PhysicalAdapterIndex != gpu) entry |= MPTE_PEER;
    entry |= (MERLIN_VRAM_BASE + (pte->PageAddress << 12)) & MPTE_ADDRESS;
  } else {
    return 0;
  }
  if (level == 0) {
    if (pte->CacheCoherent) entry |= MPTE_SNOOP;
    if (pte->ReadOnly) entry |= MPTE_READ_ONLY;
    if (pte->NoExecute) entry |= MPTE_NO_EXECUTE;
    entry |= protection << MPTE_DRIVER_SHIFT;
  }
  return entry;
}
