// When clauses of virtual submissions apply.
#pragma once

#include "conformance/rules/rule.h"

namespace wddm::proc {

/// A client whose packets reach SubmitCommandVirtual, whichever MMU translates their addresses.
[[nodiscard]] inline NotApplicable virtual_packets(const Platform& platform) {
  if (const NotApplicable reason = virtual_submission(platform)) return reason;
  return rendering(platform);
}

}  // namespace wddm::proc
