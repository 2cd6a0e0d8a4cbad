// Physically contiguous, zeroed system memory that the GPU reads and writes by physical address.
//
// Where the IOMMU may come between the device and memory it is Dxgkrnl's to give, and what gives it
// otherwise is no function that such a driver must not import.
#pragma once

#include "dxgkrnl.h"
#include "kmd_driver.h"

namespace reference_kmd {

class ContiguousMemory {
 public:
  ContiguousMemory() = default;
  ContiguousMemory(const ContiguousMemory&) = delete;
  ContiguousMemory& operator=(const ContiguousMemory&) = delete;
  ~ContiguousMemory() { release(); }

  NTSTATUS allocate(Dxgkrnl& dxgkrnl, SIZE_T bytes);
  void release();

  void* bytes() const { return bytes_; }
  ULONGLONG physical() const { return physical_; }

 private:
  void* bytes_ = nullptr;
  ULONGLONG physical_ = 0;
  SIZE_T size_ = 0;
  Dxgkrnl* giver_ = nullptr;  // null: the memory manager
  HANDLE handle_ = nullptr;   // what the giver calls it
};

}  // namespace reference_kmd
