// Seeded faults that copy other entries than they are asked to.
#pragma once

#include <span>
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
    alter(ranges);
    build->CopyPageTableEntries.pRanges = ranges.data();
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->CopyPageTableEntries = asked;
    return status;
  }

 private:
  /// All ranges of one call.
  virtual void alter(std::span<DXGK_BUILDPAGINGBUFFER_COPY_RANGE> ranges) = 0;
};

}  // namespace wddm::pt
