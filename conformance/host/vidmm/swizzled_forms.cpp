// What memory must hold after a Transfer with Swizzle or Unswizzle.
//
// How a driver stores a Swizzled allocation is its own affair, so an Unswizzle shows it. From then
// on the same content converts to the same, in the same place of its segment: what was taken out
// and brought back is what it was, either way, for every byte of the allocation is content. What a
// Swizzle makes of anything else is not read from memory: commands that come behind it may already
// have run.
//
// Sources: locking-swizzled-allocations.md, ns-d3dkmddi-_dxgk_transferflags.md # Swizzle,
// Unswizzle. Left out: what the two forms have to do with each other, and with levels.
#include "conformance/host/boundary/session.h"
#include "conformance/host/vidmm/predicted_memory.h"

namespace wddm::host {
namespace {

// False where somebody cannot see it.
bool add_page(std::vector<std::uint8_t>& bytes, const std::uint8_t* page) {
  if (page != nullptr) bytes.insert(bytes.end(), page, page + kPageSize);
  return page != nullptr;
}

}  // namespace

void PredictedMemory::converted(const vidmm::PagingStep& step) {
  AllocationObject& allocation = objects_.allocation(step.allocation);
  const bool in = brings_into_memory(step.kind);
  const gpu::Place stored{.segment = step.segment, .offset = step.page * kPageSize};
  const gpu::Place linear{.offset = 0, .frames = indices_[step.allocation]};
  SwizzledForms now{.linear = {}, .stored = {}, .segment = step.segment, .page = step.page};
  bool seen = true;
  for (std::uint32_t i = 0; i < step.pages; ++i) {
    seen = seen && add_page(now.linear, actual_.page(kNoSegment, indices_[step.allocation][i])) &&
           add_page(now.stored, actual_.page(step.segment, step.page + i));
  }
  const gpu::Place& made = in ? stored : linear;
  const std::optional<SwizzledForms>& before = allocation.forms;
  const bool is_there =
      seen && before && before->segment == now.segment && before->page == now.page;
  if (is_there && (in ? before->linear == now.linear : before->stored == now.stored)) {
    shadow_.write(made, std::as_bytes(std::span(in ? before->stored : before->linear)));
    session().tap(ev::ConversionForetold{.allocation = step.allocation.value, .in = in});
    return;
  }
  if (!seen || in) return shadow_.forget(made, allocation.bytes);
  shadow_.write(made, std::as_bytes(std::span(now.linear)));
  allocation.forms = std::move(now);
}

}  // namespace wddm::host
