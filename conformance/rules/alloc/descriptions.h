// What CreateAllocation has said of allocations that it made: of those that the scenario works
// with, of the surfaces that Dxgkrnl itself makes, and of what is made to be described alone.
#pragma once

#include <string>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::alloc {

struct Description {
  std::uint32_t index;
  ev::AllocationCreated info;  ///< `allocation` is kNone where nothing is placed in it
  std::uint32_t standard = 0;  ///< D3DKMDT_STANDARDALLOCATION_TYPE, or 0

  /// "", or whose it is, to be put behind what was seen.
  [[nodiscard]] std::string whose() const {
    if (standard != 0) return ", in a standard allocation of type " + std::to_string(standard);
    if (info.allocation != kNone) return {};
    if (info.asked_pages == 0) return ", in one of unlike allocations of a resource";
    return ", in one of " + std::to_string(info.asked_pages) + " pages";
  }
};

[[nodiscard]] inline Description description_at(const Trace& trace, std::uint32_t index) {
  if (trace.events()[index].kind == EventKind::AllocationCreated) {
    return {index, trace.at<ev::AllocationCreated>(index)};
  }
  const auto said = trace.at<ev::ShapeDescribed>(index);
  const bool primary = said.standard == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
  return {index,
          {.size = said.size,
           .pitch_size = said.pitch_size,
           .allocation = kNone,
           .has_handle = said.has_handle,
           .priority = said.priority,
           .read_set = said.read_set,
           .write_set = said.write_set,
           .eviction_set = said.eviction_set,
           .flags = said.flags,
           .preferred = said.preferred,
           .alignment = said.alignment,
           .renaming = said.renaming,
           .asked_pages = static_cast<std::uint32_t>(said.asked / kPageSize),
           .asked_cpu_visible = said.asked_cpu_visible,
           .primary = primary,
           .source = kNone},
          said.standard};
}

template <typename Each>
void for_each_description(const Trace& trace, Each&& each) {
  for (const std::uint32_t index : trace.of_any<ev::AllocationCreated, ev::ShapeDescribed>()) {
    each(description_at(trace, index));
  }
}

}  // namespace wddm::alloc
