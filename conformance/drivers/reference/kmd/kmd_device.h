// A device: what belongs to one user-mode process on one adapter. Contexts and opened allocations
// refer to it. Where Dxgkrnl makes no contexts it owns the only one, and is what Dxgkrnl names
// instead.
#pragma once

#include "context.h"
#include "kmd_addressing.h"
#include "kmd_driver.h"

namespace reference_kmd {

class Device : public KernelObject {
 public:
  Device(Adapter* adapter, HANDLE dxgkrnl_handle, Process* process)
      : adapter_(adapter), dxgkrnl_handle_(dxgkrnl_handle), process_(process) {}
  Adapter* adapter() const { return adapter_; }
  /// For callbacks that ask for a device; the reverse of the handle we gave to Dxgkrnl.
  HANDLE dxgkrnl_handle() const { return dxgkrnl_handle_; }
  Process* process() const { return process_; }  // null with patch lists

  /// Null where Dxgkrnl makes contexts.
  Context* context() const { return context_; }
  /// With what Dxgkrnl is to give it.
  void own(Context* context, const DXGK_CONTEXTINFO& wanted) {
    context_ = context;
    info_.DmaBufferSize = wanted.DmaBufferSize;
    info_.DmaBufferSegmentSet = wanted.DmaBufferSegmentSet;
    info_.DmaBufferPrivateDataSize = wanted.DmaBufferPrivateDataSize;
    info_.AllocationListSize = wanted.AllocationListSize;
    info_.PatchLocationListSize = wanted.PatchLocationListSize;
  }
  /// A command buffer becomes one DMA buffer, or is refused.
  void guarantee_contract(bool guarantees) {
    info_.Flags.GuaranteedDmaBufferContract = guarantees;
  }
  bool guarantees_contract() const { return info_.Flags.GuaranteedDmaBufferContract != 0; }
  DXGK_DEVICEINFO* info() { return &info_; }

 private:
  Adapter* const adapter_;
  const HANDLE dxgkrnl_handle_;
  Process* const process_;
  Context* context_ = nullptr;
  DXGK_DEVICEINFO info_ = {};
};

/// What Dxgkrnl names by a handle of a context; null for none.
inline Context* context_of(HANDLE handle) {
  if (handle == nullptr || has_contexts()) return static_cast<Context*>(handle);
  return static_cast<Device*>(handle)->context();
}

}  // namespace reference_kmd
