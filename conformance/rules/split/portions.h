// What rules on the memory manager share: VidMm's plan of each buffer beside the lists it read.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "conformance/rules/split/rendered_lists.h"
#include "reference/vidmm/paging_step.h"

namespace wddm::split {

/// One PortionPlanned event.
struct Planned {
  std::uint32_t event = kNone;
  ev::PortionPlanned portion;
  std::span<const PagingStepRecord> steps;
};

/// The portions of one buffer, in the order of the plan.
struct PlannedBuffer {
  RenderedList list;
  std::vector<Planned> portions;
};

/// Whether the step brings its allocation in. What is mapped only to be transferred out through the
/// aperture (EvictionSegmentSet) is on its way out.
[[nodiscard]] inline bool is_page_in(std::span<const PagingStepRecord> steps, std::size_t i) {
  const auto kind = [&](std::size_t of) { return static_cast<vidmm::StepKind>(steps[of].kind); };
  if (kind(i) != vidmm::StepKind::MapAperture) {
    return kind(i) == vidmm::StepKind::Fill || kind(i) == vidmm::StepKind::TransferIn;
  }
  return i + 1 == steps.size() || kind(i + 1) != vidmm::StepKind::TransferOut ||
         steps[i + 1].allocation != steps[i].allocation;
}

/// The plans by (render, pass), of buffers whose list is sorted.
using PlannedBuffers = std::map<std::pair<std::uint32_t, std::uint32_t>, PlannedBuffer>;
[[nodiscard]] const PlannedBuffers& planned_buffers(const Trace& trace);

/// A portion that is submitted for the first time.
struct FirstSubmission {
  std::uint32_t submitted = kNone;  ///< event
  std::uint32_t planned = kNone;    ///< event; kNone: the plan of its op has no more portions
};

/// Of each portion, in the order of submission. The k-th of a Render op is its k-th planned one.
[[nodiscard]] const std::vector<FirstSubmission>& first_submissions(const Trace& trace);

/// The elements of a portion; none where the plan leaves the list.
[[nodiscard]] inline std::span<const PatchRecord> elements_of(const RenderedList& list,
                                                              const ev::PortionPlanned& portion) {
  const std::size_t size = list.elements.size();
  if (portion.first > size || portion.count > size - portion.first) return {};
  return list.elements.subspan(portion.first, portion.count);
}

}  // namespace wddm::split
