// What memory must hold after a Transfer with Swizzle or Unswizzle.
//
// How a driver stores a Swizzled allocation is its own affair, so an Unswizzle shows it. From then
// on the same content converts to the same, in the same place of its segment: what was taken out
// and brought back is what it was, either way, for every byte of the allocation is content. What a
// Swizzle makes of anything else is not read from memory: commands that come behind it may already
// have run. What the CPU saw through a swizzling range by then is known before any Unswizzle.
//
// Sources: locking-swizzled-allocations.md, ns-d3dkmddi-_dxgk_transferflags.md # Swizzle,
// Unswizzle, nc-d3dkmddi-dxgkddi_acquireswizzlingrange.md # Remarks. Left out: what the two forms
// have to do with each other, and with levels.
#pragma once

#include <cstdint>
#include <span>

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/vidmm/prediction/actual_memory.h"
#include "reference/gpu/shadow_memory.h"
#include "reference/vidmm/step.h"

namespace wddm::host {

struct Converted {
  AllocationObject& allocation;
  const vidmm::PagingStep& step;                ///< all of the allocation
  std::span<const std::uint64_t> system_pages;  ///< of the allocation, by their numbers
};
void convert(const Converted& what, const ActualMemory& actual, gpu::ShadowMemory& shadow);

}  // namespace wddm::host
