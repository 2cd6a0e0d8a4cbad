// Pages as entries see them: runs of pages that follow each other in memory, and parts of them.
#pragma once

#include <span>
#include <vector>

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/memory/memory.h"
#include "conformance/host/vidmm/residency_in_effect.h"
#include "reference/gpummu/table_input.h"
#include "reference/gpuva/page_state.h"

namespace wddm::host {

using PageRuns = std::vector<gpummu::PageRun>;

/// In a segment of that GPU of the link.
[[nodiscard]] PageRuns run_at(PlaceInSegment place, std::uint32_t first, std::uint32_t pages,
                              std::uint32_t physical_adapter = 0);
/// System pages, each for itself.
[[nodiscard]] PageRuns run_of(std::span<const memory::Frame> frames);
/// So many bytes of the runs, which hold more.
[[nodiscard]] PageRuns cut_out(const PageRuns& runs, std::uint64_t offset, std::uint64_t bytes);
[[nodiscard]] bool in_system_memory(const PageRuns& pages);
/// Wherever in these segments something is resident.
[[nodiscard]] bool in_system_memory(const Adapter& adapter, std::uint32_t segments);
/// Whole pages of segments that are managed in them (PGSZ-003).
[[nodiscard]] bool in_64kb_pages(const Adapter& adapter, const PageRuns& pages);
[[nodiscard]] constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + kPageSize - 1) / kPageSize * kPageSize;
}

/// Addresses whose pages follow each other in the allocation, as updates say it.
struct Turn {
  gpummu::VaRange range;
  std::uint64_t offset = 0;  ///< of the first page in the allocation, in bytes
};
/// A stretch that repeats its pages has several.
[[nodiscard]] std::vector<Turn> turns_of(const gpummu::VaRange& range,
                                         const gpuva::PageState& state);

}  // namespace wddm::host
