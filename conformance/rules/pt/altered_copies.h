// Seeded faults that copy other entries than they are asked to.
#pragma once

#include <vector>

#include "conformance/host/interposer.h"

namespace wddm::pt {

class AltersCopies : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) final {
    if (build->Operation != DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    const auto asked = build->CopyPageTableEntries;
    std::vector<DXGK_BUILDPAGINGBUFFER_COPY_RANGE> ranges(asked.pRanges,
                                                          asked.pRanges + asked.NumRanges);
    for (auto& range : ranges) alter(range);
    build->CopyPageTableEntries.pRanges = ranges.data();
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->CopyPageTableEntries = asked;
    return status;
  }

 private:
  virtual void alter(DXGK_BUILDPAGINGBUFFER_COPY_RANGE& range) = 0;
};

}  // namespace wddm::pt
