// Whether lists are judged by their slots.
#pragma once

#include "conformance/rules/rule.h"

namespace wddm::split {

/// ... which need rows: where MaxAllocationListSlotId is 0 nothing can be bound to anything, as
/// compute-only drivers must report (mcdm-implementation-guidelines.md # Driver capability
/// requirements); of others SPLIT-004 says so, once. Their SlotId says nothing, and which row an
/// element empties or replaces is not to be told.
[[nodiscard]] inline NotApplicable slot_rows(const Platform& platform) {
  if (const NotApplicable reason = slot_tables(platform)) return reason;
  return platform.slots == 0 ? "no slot table: MaxAllocationListSlotId is 0, see SPLIT-004"
                             : nullptr;
}

}  // namespace wddm::split
