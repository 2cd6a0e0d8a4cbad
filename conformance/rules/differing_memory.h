// How a verdict says that memory is not as it was predicted: how much, from where on, and by what.
#pragma once

#include <string>

#include "conformance/host/adapter/objects/object_slots.h"
#include "conformance/rules/hex_text.h"
#include "reference/trace/trace.h"

namespace wddm {

/// "allocation 2"; what the host has made of itself is named by what it is for.
inline std::string place_text(const ev::MemoryDiffers& differs) {
  const std::string gpu = differs.physical_adapter == 0
                              ? std::string()
                              : " of GPU " + std::to_string(differs.physical_adapter);
  switch (static_cast<MemoryPlace>(differs.where)) {
    case MemoryPlace::Allocation:
      if (differs.object != host::kMarkerAllocation.value) {
        return "allocation " + std::to_string(differs.object) + gpu;
      }
      return "the allocation that each packet leaves its mark in" + gpu;
    case MemoryPlace::FreeSegmentPage:
      return "a segment, where no allocation lies" + gpu;
    case MemoryPlace::SystemPage:
      return "system memory, where no allocation lies";
    case MemoryPlace::DummyPage:
      return "the dummy page";
  }
  return "memory";
}

/// "4096 bytes differ, the first at 0x1000 of allocation 2: 0x0 instead of 0x1020304". They are
/// counted by words, of one page.
inline std::string difference_text(const ev::MemoryDiffers& differs) {
  return std::to_string(differs.length) + " bytes differ, the first at " +
         hex_text(differs.offset) + " of " + place_text(differs) + ": " + hex_text(differs.seen) +
         " instead of " + hex_text(differs.expected);
}

}  // namespace wddm
