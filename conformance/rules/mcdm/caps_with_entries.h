// Capabilities beside the entry points of the same driver.
#pragma once

#include "conformance/rules/caps/answered_caps.h"
#include "conformance/rules/life/filled_entries.h"

namespace wddm::compute {

/// Calls `visit(index, caps, filled_at)` for every answer that counts: `filled_at` is the
/// EntriesFilled before it.
template <class Visit>
void for_each_caps_with_entries(const Trace& trace, Visit visit) {
  std::uint32_t filled_at = kNone;
  for (const std::uint32_t index : trace.of_any<ev::EntriesFilled, ev::CapsAnswered>()) {
    if (trace.events()[index].kind == EventKind::EntriesFilled) {
      filled_at = index;
      continue;
    }
    DXGK_DRIVERCAPS caps;
    if (filled_at == kNone || !answers::over_zeros(trace, index) ||
        !answers::caps_of(trace, index, caps)) {
      continue;
    }
    visit(index, caps, filled_at);
  }
}

}  // namespace wddm::compute
