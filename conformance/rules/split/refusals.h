// Buffers that VidMm refuses although what they need certainly fits.
#pragma once

#include <d3dkmddi.h>

#include <algorithm>

#include "conformance/rules/scratch.h"
#include "conformance/rules/seg/segments_of_gpu.h"
#include "conformance/rules/split/portions.h"
#include "reference/platform.h"

namespace wddm::split {

/// A group refused although no row that it leaves alone is bound, and all it names fits at once.
struct Refusal {
  std::uint32_t event = kNone;  ///< BufferRefused
  const RenderedList* list = nullptr;
  bool reprogrammed = false;  ///< the group names rows that were bound before
  std::uint64_t pages = 0;
};

/// What one allocation needs and where it may lie.
struct Demand {
  std::uint64_t pages = 0;
  std::uint64_t alignment = 1;  ///< in pages
  std::uint32_t segments = 0;   ///< SupportedWriteSegmentSet: bit 0 is segment 1
  std::uint32_t preferred = 0;  ///< PreferredSegment.SegmentId0
  bool takes_preferred = false;
  [[nodiscard]] bool may_use(std::uint32_t segment) const {
    return (segments & seg::bit_of(segment)) != 0;
  }
};

/// The allocations of elements [first, end), each once, as the driver described them before
/// `event`.
[[nodiscard]] inline ScratchVector<Demand> demands_of(const Trace& trace, const RenderedList& list,
                                                      std::size_t first, std::size_t end,
                                                      std::uint32_t event) {
  ScratchMap<std::uint32_t, Demand> demands;
  for (std::size_t i = first; i < end; ++i) {
    if (!list.names_allocation(list.elements[i])) continue;
    const AllocationRecord& entry = list.entries[list.elements[i].allocation_index];
    demands[entry.allocation].pages = (entry.size + 4095) / 4096;
  }
  for (const std::uint32_t index : trace.of_any<ev::AllocationCreated, ev::AllocationRenamed>()) {
    if (index > event) break;
    // An instance is as its original was described: of what stood in its slot it knows nothing.
    if (trace.events()[index].kind == EventKind::AllocationRenamed) {
      const auto renamed = demands.find(trace.at<ev::AllocationRenamed>(index).allocation);
      if (renamed != demands.end()) renamed->second.segments = 0;
      continue;
    }
    const auto created = trace.at<ev::AllocationCreated>(index);
    const auto found = demands.find(created.allocation);
    if (found == demands.end()) continue;
    found->second.segments = created.write_set;
    found->second.alignment = std::max(created.alignment / 4096, 1u);
    found->second.preferred = created.preferred & 0x1f;
  }
  ScratchVector<Demand> result;
  for (const auto& [allocation, demand] : demands) result.push_back(demand);
  return result;
}

/// Room that a demand certainly finds a place in, behind others.
[[nodiscard]] inline std::uint64_t with_gaps(const Demand& demand, const PlatformSegment& segment,
                                             bool is_first) {
  const std::uint64_t whole = segment.flags.use_64kb_pages() ? 16 : 1;
  const std::uint64_t unit = std::max(demand.alignment, whole);
  return (demand.pages + unit - 1) / unit * unit + (is_first ? 0 : unit - 1);
}

/// Pages of each memory and of each aperture segment that VidMm uses; 0: all.
struct MemoryLimit {
  std::uint64_t local = 0, aperture = 0;
  [[nodiscard]] std::uint64_t pages_of(const PlatformSegment& segment) const {
    const std::uint64_t all = segment.size / 4096;
    const std::uint64_t limit = segment.flags.aperture() ? aperture : local;
    return limit == 0 ? all : std::min(all, limit);
  }
};

/// Whether an empty memory holds all of it however it is placed, if each allocation takes its
/// preferred segment where that has room. Of segments in `taken` (bit 0 is segment 1) nobody knows
/// how much is left. Never true by mistake.
[[nodiscard]] inline bool certainly_fits(ScratchVector<Demand>& demands, const Platform& platform,
                                         std::uint32_t taken = 0, const MemoryLimit& limit = {}) {
  const auto has_room = [&](std::uint32_t segment) {
    if (segment > platform.segments.size() || (taken & seg::bit_of(segment)) != 0) return false;
    const PlatformSegment& place = platform.segments[segment - 1];
    std::uint64_t pages = 0;
    for (const Demand& demand : demands) {
      const bool elsewhere = demand.takes_preferred && demand.preferred != segment;
      if (demand.may_use(segment) && !elsewhere) pages += with_gaps(demand, place, pages == 0);
    }
    return pages <= limit.pages_of(place);
  };
  for (Demand& demand : demands) {
    demand.takes_preferred = demand.may_use(demand.preferred) && has_room(demand.preferred);
  }
  return std::all_of(demands.begin(), demands.end(), [&](const Demand& demand) {
    if (demand.takes_preferred) return true;
    for (std::uint32_t segment = 1; segment <= platform.segments.size(); ++segment) {
      if (demand.may_use(segment) && has_room(segment)) return true;
    }
    return false;
  });
}

/// The segments with pages that VidMm must go round, as map_aperture holds some or buffers of
/// commands lie there; all of them if it is not known which. A DMA buffer has its pages before the
/// plan for it is made, and is mapped behind that: of a buffer that is refused nobody sees it.
/// Pages for paging buffers are kept from the start on.
[[nodiscard]] inline std::uint32_t taken_apertures(const Trace& trace) {
  std::uint32_t taken = 0;
  for (const std::uint32_t index : trace.of<ev::ContextCreated>()) {
    taken |= trace.at<ev::ContextCreated>(index).dma_segments;
  }
  for (const std::uint32_t index : trace.of<ev::SegmentsReported>()) {
    taken |= seg::bit_of(trace.at<ev::SegmentsReported>(index).paging_segment);
  }
  for (const std::uint32_t index : trace.of<ev::PagingBuilt>()) {
    const auto paging = trace.at<ev::PagingBuilt>(index);
    const bool maps = paging.operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT ||
                      paging.operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2;
    if (!maps || paging.allocation != kNone) continue;
    const auto arguments = trace.blob<PagingArguments>(trace.events()[index]);
    const std::uint32_t bit =
        arguments.empty() ? 0 : seg::bit_of(arguments.front().destination_segment);
    taken |= bit != 0 ? bit : ~0u;
  }
  return taken;
}

/// Calls `visit(const Refusal&)` for every such refusal.
template <class Visit>
void for_each_refusal(const Trace& trace, const Platform& platform, const PlannedBuffers& buffers,
                      Visit&& visit) {
  const std::uint32_t taken = taken_apertures(trace);
  for (const std::uint32_t index : trace.of<ev::BufferRefused>()) {
    const auto refused = trace.at<ev::BufferRefused>(index);
    const auto found = buffers.find({refused.render, refused.pass});
    if (found == buffers.end()) continue;
    const RenderedList& list = found->second.list;
    const auto& elements = list.elements;
    if (refused.element >= elements.size()) continue;
    std::size_t first = refused.element;
    while (first != 0 &&
           elements[first - 1].split_offset == elements[refused.element].split_offset) {
      --first;
    }
    const std::size_t end = list.group_end(first);
    Rows rows;
    for (std::uint32_t i = 0; i < first; ++i) rows.apply(list, i);
    ScratchMap<std::uint32_t, bool> reprogrammed;
    for (std::size_t i = first; i < end; ++i) {
      const Rows::Row* const row = rows.find(elements[i].slot());
      if (row != nullptr && row->allocation != kNone) reprogrammed[elements[i].slot()] = true;
    }
    if (rows.bound() != static_cast<std::int64_t>(reprogrammed.size())) continue;
    ScratchVector<Demand> demands = demands_of(trace, list, first, end, index);
    const MemoryLimit limit{refused.local, refused.aperture};
    if (!certainly_fits(demands, platform, taken, limit)) continue;
    Refusal refusal{index, &list, !reprogrammed.empty()};
    for (const Demand& demand : demands) refusal.pages += demand.pages;
    visit(refusal);
  }
}

}  // namespace wddm::split
