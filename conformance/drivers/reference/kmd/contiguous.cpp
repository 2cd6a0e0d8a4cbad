#include "contiguous.h"

#include "kmd_addressing.h"

namespace reference_kmd {

NTSTATUS ContiguousMemory::allocate(Dxgkrnl& dxgkrnl, SIZE_T bytes) {
  if (can_be_isolated()) {
    const NTSTATUS status = dxgkrnl.allocate_memory(bytes, &bytes_, &handle_);
    if (!NT_SUCCESS(status)) return status;
    giver_ = &dxgkrnl;
  } else {
    bytes_ = MmAllocateContiguousNodeMemory(bytes, physical_address(0), physical_address(~0ull),
                                            physical_address(0), PAGE_READWRITE, MM_ANY_NODE_OK);
    if (bytes_ == nullptr) return STATUS_NO_MEMORY;
  }
  size_ = bytes;
  RtlZeroMemory(bytes_, bytes);
  physical_ = static_cast<ULONGLONG>(MmGetPhysicalAddress(bytes_).QuadPart);
  return STATUS_SUCCESS;
}

void ContiguousMemory::release() {
  if (bytes_ == nullptr) return;
  if (giver_ != nullptr) {
    giver_->free_memory(handle_);
  } else {
    MmFreeContiguousMemorySpecifyCache(bytes_, size_, MmCached);
  }
  bytes_ = nullptr;
  giver_ = nullptr;
}

}  // namespace reference_kmd
