// What a finding of the kernel says of memory that is not there any more.
#pragma once

#include "conformance/host/nt/core/kernel.h"
#include "reference/is_any_of.h"
#include "reference/trace/event.h"

namespace wddm {

/// It was freed, and is freed or written to once more.
[[nodiscard]] inline bool is_of_freed_memory(const ev::Finding& finding) {
  return is_any_of(static_cast<nt::FindingKind>(finding.kind), nt::FindingKind::PoolDoubleFree,
                   nt::FindingKind::PoolBadPointer, nt::FindingKind::PoolUseAfterFree);
}

}  // namespace wddm
