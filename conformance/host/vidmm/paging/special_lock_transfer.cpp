#include "conformance/host/vidmm/paging/operation_parts.h"

namespace wddm::host {

using operation_parts::give_segment;
using operation_parts::place_of;
using operation_parts::start;
using operation_parts::write_only_where;

// By the swizzling range that the CPU sees the allocation through. TransferOffset is not of the
// MDL, and there is no MdlOffset: the MDL of a part has the pages of that part alone.
PagingOperationPtr special_lock_part(const PagingScene& scene, const vidmm::PagingStep& step,
                                     std::uint32_t first, std::uint32_t pages) {
  const bool in = step.kind == vidmm::StepKind::TransferIn;
  const bool last = first + pages == step.pages;
  const AllocationObject& allocation = scene.objects.allocation(step.allocation);
  auto made = start(DXGK_OPERATION_SPECIAL_LOCK_TRANSFER, step.allocation);
  made->mdl = std::make_unique<nt::MdlOverFrames>(
      std::span(allocation.frames).subspan(first, pages), pages * kPageSize, 0);
  auto& transfer = made->args.SpecialLockTransfer;
  transfer.hAllocation = allocation.driver;
  transfer.TransferOffset = static_cast<UINT>(first * kPageSize);
  transfer.TransferSize = pages * kPageSize;
  transfer.Flags.TransferStart = first == 0;
  transfer.Flags.TransferEnd = last;
  transfer.SwizzlingRangeId = allocation.view->range;
  (in ? transfer.Source.pMdl : transfer.Destination.pMdl) = made->mdl->get();
  const std::uint64_t address = in ? give_segment(scene, transfer.Destination, place_of(step))
                                   : give_segment(scene, transfer.Source, place_of(step));
  made->record = {.size = transfer.TransferSize,
                  .source_address = in ? 0 : address,
                  .destination_address = in ? address : 0,
                  .source_segment = in ? 0 : step.segment.value,
                  .destination_segment = in ? step.segment.value : 0,
                  .offset = transfer.TransferOffset,
                  .scattered = allocation.pages > 1};
  write_only_where(*made, {in ? step.segment : kNoSegment, step.page}, in ? step.pages : 0);
  if (last) {
    made->effect = SpecialLockEffect{step, allocation.view->bytes};
  } else {
    made->effect = PartEffect{step, first, pages};
  }
  return made;
}

}  // namespace wddm::host
