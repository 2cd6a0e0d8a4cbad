// The shared primary: the one primary that Dxgkrnl itself describes, and thus knows.
#pragma once

#include "conformance/rules/rule.h"

namespace wddm {

/// Whether Dxgkrnl makes one on this driver.
[[nodiscard]] inline NotApplicable with_shared_primary(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  if (platform.compute_only) return "a device that only computes: ComputeOnly";
  if (platform.sources == 0) return "no video present source: there is no primary";
  if (const NotApplicable reason = needs(platform, DdiId::CreateAllocation)) return reason;
  return needs(platform, DdiId::GetStandardAllocationDriverData);
}

}  // namespace wddm
