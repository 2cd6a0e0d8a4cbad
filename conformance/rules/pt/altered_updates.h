// Faults of drivers that take an update of a page table for another than it is.
#pragma once

#include <vector>

#include "conformance/host/interposer.h"

namespace wddm::pt {

/// Hands updates on as `alter` leaves them; its entries are a copy, one for each that is written.
class AltersUpdates : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) final {
    if (build->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE asked = build->UpdatePageTable;
    std::vector<DXGK_PTE> entries;
    for (UINT i = 0; i < asked.NumPageTableEntries; ++i) {
      entries.push_back(asked.pPageTableEntries[asked.Flags.Repeat ? 0 : i]);
    }
    entries.resize(entries.size() + 1);
    build->UpdatePageTable.pPageTableEntries = entries.data();
    const NTSTATUS status = alter(build->UpdatePageTable)
                                ? Interposer::BuildPagingBuffer(adapter, build)
                                : STATUS_SUCCESS;
    build->UpdatePageTable = asked;
    return status;
  }

 protected:
  /// False if the driver is to do nothing, and says that it has.
  [[nodiscard]] virtual bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) = 0;
};

}  // namespace wddm::pt
