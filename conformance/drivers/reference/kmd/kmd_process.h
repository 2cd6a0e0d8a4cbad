// A process as DxgkDdiCreateProcess makes it: an address space of the GPU.
#pragma once

#include "contiguous.h"
#include "kmd_addressing.h"
#include "kmd_driver.h"

namespace reference_kmd {

// Addresses of a process that only the driver maps.
struct ReservedAddresses {
  ULONGLONG start = 0;
  ULONGLONG bytes = 0;  // 0: none
};

class Process : public KernelObject {
 public:
  /// `space`: what the hardware tells its translations by; not 0 and never given twice.
  Process(HANDLE dxgkrnl_handle, ULONG space) : dxgkrnl_handle_(dxgkrnl_handle), space_(space) {}
  /// What the IOMMU knows the process by, for each GPU of the link; copied.
  void set_pasids(const ULONG* pasids, UINT count);
  /// Makes what lies at reserved addresses: a page that packets leave their fence in, and the leaf
  /// table that leads to it.
  NTSTATUS keep(Dxgkrnl& dxgkrnl, const ReservedAddresses& reserved);

  /// What Dxgkrnl calls it.
  HANDLE dxgkrnl_handle() const { return dxgkrnl_handle_; }
  ULONG space() const { return space_; }
  /// In requests of that GPU; 0: it is not known to an IOMMU.
  ULONG pasid(ULONG gpu) const { return pasids_[gpu]; }

  bool reserves(ULONGLONG address) const { return address - reserved_.start < reserved_.bytes; }
  /// The entry that leads to the driver's own leaf table, for each entry that is reserved. Whenever
  /// Dxgkrnl makes those invalid it has to be written again.
  ULONGLONG own_entry() const;
  /// 0: none.
  ULONGLONG status_address() const { return reserved_.start; }

 private:
  const HANDLE dxgkrnl_handle_;
  const ULONG space_;
  ULONG pasids_[kMostLinked] = {};
  ReservedAddresses reserved_;
  ContiguousMemory own_;  // leaf table, status page
};

}  // namespace reference_kmd
