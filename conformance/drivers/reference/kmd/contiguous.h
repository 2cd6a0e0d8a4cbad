// Physically contiguous, zeroed system memory that the GPU reads and writes by physical address.
#pragma once

#include "kmd_driver.h"

namespace reference_kmd {

class ContiguousMemory {
 public:
  ContiguousMemory() = default;
  ContiguousMemory(const ContiguousMemory&) = delete;
  ContiguousMemory& operator=(const ContiguousMemory&) = delete;
  ~ContiguousMemory() { release(); }

  NTSTATUS allocate(SIZE_T bytes) {
    bytes_ = MmAllocateContiguousMemorySpecifyCache(
        bytes, physical_address(0), physical_address(~0ull), physical_address(0), MmCached);
    if (bytes_ == nullptr) return STATUS_NO_MEMORY;
    RtlZeroMemory(bytes_, bytes);
    physical_ = static_cast<ULONGLONG>(MmGetPhysicalAddress(bytes_).QuadPart);
    return STATUS_SUCCESS;
  }
  void release() {
    if (bytes_ != nullptr) MmFreeContiguousMemory(bytes_);
    bytes_ = nullptr;
  }

  void* bytes() const { return bytes_; }
  ULONGLONG physical() const { return physical_; }

 private:
  void* bytes_ = nullptr;
  ULONGLONG physical_ = 0;
};

}  // namespace reference_kmd
