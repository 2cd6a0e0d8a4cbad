// A device: what belongs to one user-mode process on one adapter. Owns nothing but its identity;
// contexts and opened allocations refer to it.
#pragma once

#include "kmd_driver.h"

namespace reference_kmd {

class Adapter;
class Process;

class Device : public KernelObject {
 public:
  Device(Adapter* adapter, HANDLE dxgkrnl_handle, Process* process)
      : adapter_(adapter), dxgkrnl_handle_(dxgkrnl_handle), process_(process) {}
  Adapter* adapter() const { return adapter_; }
  /// For callbacks that ask for a device; the reverse of the handle we gave to Dxgkrnl.
  HANDLE dxgkrnl_handle() const { return dxgkrnl_handle_; }
  Process* process() const { return process_; }  // null with patch lists

 private:
  Adapter* const adapter_;
  const HANDLE dxgkrnl_handle_;
  Process* const process_;
};

}  // namespace reference_kmd
