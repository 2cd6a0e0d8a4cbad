// Memory that a driver asks Dxgkrnl for, so that the IOMMU may stand between the device and all
// other memory: DxgkCbAllocateContiguousMemory, DxgkCbAllocatePagesForMdl and what gives it back.
//
// Sources: iommu-based-gpu-isolation.md and the pages of the callbacks. Logical addresses are
// physical ones here. Left out: MapMdlToIoMmu; that what is not mapped cannot be accessed, which is
// told only.
#pragma once

#include "conformance/host/adapter/bus.h"
#include "conformance/sdk/ddi/dispmprt.h"

#include <cstdint>
#include <vector>

namespace wddm::host {

class IsolatedMemory final : public SystemMemoryWatch {
 public:
  /// A driver starts: what an earlier start has left is nobody's any more.
  void begin();
  /// StopDevice has returned.
  void tell_balance() const;

  NTSTATUS allocate(DXGKARGCB_ALLOCATECONTIGUOUSMEMORY& args);
  NTSTATUS free(const DXGKARGCB_FREECONTIGUOUSMEMORY& args);
  NTSTATUS allocate(DXGKARGCB_ALLOCATEPAGESFORMDL& args);
  NTSTATUS free(const DXGKARGCB_FREEPAGESFROMMDL& args);

  /// Contiguous memory is Dxgkrnl's, or it is told of.
  void accessed(std::uint64_t address, bool write, std::uint32_t physical_adapter) override;

 private:
  std::vector<void*> blocks_;  // by address, which their handles are made of
  std::vector<PMDL> mdls_;
  std::uint32_t blocks_made_ = 0, mdls_made_ = 0;
  bool told_ = false;  // of an access
};

}  // namespace wddm::host
