#include "conformance/host/vidmm/paging/operation_parts.h"

namespace wddm::host {

using operation_parts::give_segment;
using operation_parts::place_of;
using operation_parts::start;
using operation_parts::write_only_where;

// By the swizzling range that the CPU sees the allocation through. There is no MdlOffset, so it
// goes at once.
PagingOperationPtr special_lock_transfer(const PagingScene& scene, const vidmm::PagingStep& step) {
  const bool in = step.kind == vidmm::StepKind::TransferIn;
  const AllocationObject& allocation = scene.objects.allocation(step.allocation);
  auto made = start(DXGK_OPERATION_SPECIAL_LOCK_TRANSFER, step.allocation);
  made->mdl = std::make_unique<nt::MdlOverFrames>(allocation.frames, allocation.bytes, 0);
  auto& transfer = made->args.SpecialLockTransfer;
  transfer.hAllocation = allocation.driver;
  transfer.TransferSize = step.pages * kPageSize;
  transfer.Flags.TransferStart = transfer.Flags.TransferEnd = 1;
  transfer.SwizzlingRangeId = allocation.view->range;
  (in ? transfer.Source.pMdl : transfer.Destination.pMdl) = made->mdl->get();
  const std::uint64_t address = in ? give_segment(scene, transfer.Destination, place_of(step))
                                   : give_segment(scene, transfer.Source, place_of(step));
  made->record = {.size = transfer.TransferSize,
                  .source_address = in ? 0 : address,
                  .destination_address = in ? address : 0,
                  .source_segment = in ? 0 : step.segment.value,
                  .destination_segment = in ? step.segment.value : 0,
                  .scattered = allocation.pages > 1};
  write_only_where(*made, {in ? step.segment : kNoSegment, step.page}, in ? step.pages : 0);
  made->effect = SpecialLockEffect{step, allocation.view->bytes};
  return made;
}

}  // namespace wddm::host
