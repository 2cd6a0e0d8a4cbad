#include "conformance/host/vidmm/buffer_request.h"

namespace wddm::host {
namespace {

// The split points that the scenario takes although memory suffices.
std::vector<std::uint32_t> taken_splits(const vidmm::PatchList& list, const Choices& choices) {
  if (choices.take == Take::None) return {};
  const std::vector<std::uint32_t> all = vidmm::split_points(list);
  if (choices.take == Take::All) return all;
  std::vector<std::uint32_t> taken;
  for (std::size_t i = 0; i < all.size() && i < 32; ++i) {
    if (choices.take_mask >> i & 1) taken.push_back(all[i]);
  }
  return taken;
}

}  // namespace

BufferRequest::BufferRequest(const RenderBuffer& buffer, const vidmm::VidMm& vidmm,
                             const Adapter& adapter, const Choices& choices) {
  for (const D3DDDI_PATCHLOCATIONLIST& element : buffer.patches) {
    elements_.push_back({.allocation_index = element.AllocationIndex,
                         .slot = element.SlotId,
                         .allocation_offset = element.AllocationOffset,
                         .patch_offset = element.PatchOffset,
                         .split_offset = element.SplitOffset});
  }
  for (std::size_t i = 0; i < buffer.allocation_list.size(); ++i) {
    const AllocationId id = buffer.allocations[i];
    const bool known = id != kNoAllocation && vidmm.exists(id);
    entries_.push_back({.allocation = known ? id : kNoAllocation,
                        .write = buffer.allocation_list[i].WriteOperation != 0});
  }
  input_.list = {elements_, entries_, buffer.dma_used};
  taken_ = taken_splits(input_.list, choices);
  input_.taken = taken_;
  input_.preemption_aware = adapter.preemption_aware();
  input_.no_dma_patching = adapter.caps().SchedulingCaps.NoDmaPatching != 0;
  input_.has_slots = adapter.caps().MaxAllocationListSlotId != 0;
  input_.moves_first = choices.prepatch == PrepatchMode::AlwaysRepatch;
}

}  // namespace wddm::host
