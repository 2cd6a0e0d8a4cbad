// Pages that follow each other, as entries of page tables see them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "conformance/host/vidmm/residency_in_effect.h"
#include "reference/gpummu/table_input.h"

namespace wddm::host {

[[nodiscard]] inline std::vector<gpummu::PageRun> run_at(PlaceInSegment place, std::uint32_t first,
                                                         std::uint32_t pages) {
  return {
      {{.offset = (place.page + first) * kPageSize, .segment = place.segment}, pages * kPageSize}};
}

[[nodiscard]] inline bool in_system_memory(const std::vector<gpummu::PageRun>& pages) {
  return std::all_of(pages.begin(), pages.end(),
                     [](const gpummu::PageRun& run) { return run.first.segment == kNoSegment; });
}

/// `bytes` from `offset` on; the runs hold more than that.
[[nodiscard]] inline std::vector<gpummu::PageRun> cut_out(const std::vector<gpummu::PageRun>& runs,
                                                          std::uint64_t offset,
                                                          std::uint64_t bytes) {
  std::vector<gpummu::PageRun> part;
  for (gpummu::PageRun run : runs) {
    if (bytes == 0) break;
    if (offset >= run.bytes) {
      offset -= run.bytes;
      continue;
    }
    run.first.offset += offset;
    run.bytes = std::min(run.bytes - offset, bytes);
    offset = 0;
    bytes -= run.bytes;
    part.push_back(run);
  }
  return part;
}

}  // namespace wddm::host
