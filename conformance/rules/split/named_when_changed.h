// A seeded fault that takes a slot to keep its allocation from one split point to the next.
#pragma once

#include <map>

#include "conformance/host/interposer.h"

namespace wddm::split {

/// A driver that names a slot when it changes and not again.
class NamesChangesOnly final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Render(context, render);
    D3DDDI_PATCHLOCATIONLIST* to = first;
    std::map<UINT, UINT> named;  // AllocationIndex by slot
    for (auto* at = first; at < render->pPatchLocationListOut; ++at) {
      const auto [row, is_new] = named.emplace(UINT{at->SlotId}, at->AllocationIndex);
      if (!is_new && row->second == at->AllocationIndex) continue;
      row->second = at->AllocationIndex;
      *to++ = *at;
    }
    render->pPatchLocationListOut = to;
    return status;
  }
};

}  // namespace wddm::split
