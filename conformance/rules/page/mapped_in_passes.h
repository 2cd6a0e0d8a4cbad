// Allocations that a map in several buffers has shown in an aperture. What memory holds behind such
// a map is of PAGE-003 first, and no word on the commands that wrote through it.
#pragma once

#include "conformance/rules/page/operation.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::page {

/// By allocation, the PagingDone of the first such map.
[[nodiscard]] inline ScratchMap<std::uint32_t, std::uint32_t> mapped_in_passes(const Trace& trace) {
  ScratchMap<std::uint32_t, std::uint32_t> mapped;
  for (const std::uint32_t index : trace.of<ev::PagingDone>()) {
    const auto done = trace.at<ev::PagingDone>(index);
    const bool maps =
        redirects(done.operation) && done.operation != DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
    if (done.passes < 2 || done.allocation == kNone || !maps) continue;
    mapped.emplace(done.allocation, index);
  }
  return mapped;
}

/// Whether a difference lies in one of them.
[[nodiscard]] inline bool lies_in(const ev::MemoryDiffers& differs,
                                  const ScratchMap<std::uint32_t, std::uint32_t>& allocations) {
  return differs.where == static_cast<std::uint32_t>(MemoryPlace::Allocation) &&
         allocations.contains(differs.object);
}

}  // namespace wddm::page
