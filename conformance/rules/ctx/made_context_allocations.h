// Drivers whose context allocations are made.
#pragma once

#include "conformance/rules/rule.h"

namespace wddm::ctx {

/// From WDDM 1.2 on drivers with patch lists may have them too
/// (nc-d3dkmddi-dxgkcb_createcontextallocation.md # Remarks): this host refuses theirs.
[[nodiscard]] inline NotApplicable context_allocations(const Platform& platform) {
  if (platform.started && !platform.wddm1_2()) {
    return "older than WDDM 1.2: there are no context allocations";
  }
  if (platform.started && platform.patch_list_model && !platform.has_virtual_addresses()) {
    return "not hosted: with patch lists DxgkCbCreateContextAllocation makes nothing";
  }
  return page_tables(platform);
}

}  // namespace wddm::ctx
