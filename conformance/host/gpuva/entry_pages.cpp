#include "conformance/host/gpuva/entry_pages.h"

#include <algorithm>

namespace wddm::host {

PageRuns run_at(PlaceInSegment place, std::uint32_t first, std::uint32_t pages,
                std::uint32_t physical_adapter) {
  gpummu::PhysicalAddress at{.offset = (place.page + first) * kPageSize, .segment = place.segment};
  at.adapter = gpummu::PhysicalAdapterIndex{static_cast<std::uint16_t>(physical_adapter)};
  return {{at, pages * kPageSize}};
}

PageRuns cut_out(const PageRuns& runs, std::uint64_t offset, std::uint64_t bytes) {
  PageRuns part;
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

PageRuns run_of(std::span<const memory::Frame> frames) {
  PageRuns runs;
  for (const memory::Frame frame : frames) {
    runs.push_back({{.offset = frame * kPageSize}, kPageSize});
  }
  return runs;
}

bool in_system_memory(const PageRuns& pages) {
  return std::all_of(pages.begin(), pages.end(),
                     [](const gpummu::PageRun& run) { return run.first.segment == kNoSegment; });
}

bool in_system_memory(const Adapter& adapter, std::uint32_t segments) {
  for (std::uint32_t id = 1; id <= adapter.segments().size() && id <= 32; ++id) {
    const bool named = (segments >> (id - 1) & 1) != 0;
    if (named && !adapter.segment(SegmentId{id}).flags.Aperture) return false;
  }
  return true;
}

bool in_64kb_pages(const Adapter& adapter, const PageRuns& pages) {
  return std::all_of(pages.begin(), pages.end(), [&adapter](const gpummu::PageRun& run) {
    const SegmentId segment = run.first.segment;
    return segment != kNoSegment && adapter.segment(segment).flags.Use64KBPages != 0 &&
           run.first.offset % gpummu::kPageSize64K == 0 && run.bytes % gpummu::kPageSize64K == 0;
  });
}

std::vector<Turn> turns_of(const gpummu::VaRange& range, const gpuva::PageState& state) {
  std::vector<Turn> turns;
  const std::uint64_t count = range.bytes / kPageSize;
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t first = state.allocation_page(done);
    const std::uint64_t left = state.period == 0 ? count : state.first_page + state.period - first;
    const std::uint64_t now = std::min(count - done, left);
    turns.push_back({{{range.first.value + done * kPageSize}, now * kPageSize}, first * kPageSize});
    done += now;
  }
  return turns;
}

}  // namespace wddm::host
