// A process as DxgkDdiCreateProcess makes it: an address space of the GPU.
#pragma once

#include "kmd_driver.h"

namespace reference_kmd {

class Process : public KernelObject {
 public:
  /// `space`: what the hardware tells its translations by; not 0 and never given twice.
  Process(HANDLE dxgkrnl_handle, ULONG space) : dxgkrnl_handle_(dxgkrnl_handle), space_(space) {}
  /// What Dxgkrnl calls it.
  HANDLE dxgkrnl_handle() const { return dxgkrnl_handle_; }
  ULONG space() const { return space_; }

 private:
  const HANDLE dxgkrnl_handle_;
  const ULONG space_;
};

}  // namespace reference_kmd
