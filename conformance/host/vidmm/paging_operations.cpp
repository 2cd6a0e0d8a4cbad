// The arguments of each paging operation, by the rules of DXGKARG_BUILDPAGINGBUFFER: segment
// addresses include BaseAddress, TransferOffset applies to the segment side, MdlOffset counts
// pages.

#include <algorithm>

#include "conformance/host/vidmm/build_paging.h"

namespace wddm::host {

std::shared_ptr<PagingOperation> Paging::start(DXGK_BUILDPAGINGBUFFER_OPERATION operation,
                                               std::uint32_t slot) const {
  auto made = std::make_shared<PagingOperation>();
  made->args.Operation = operation;
  made->allocation = slot;
  made->blame = {.cause = MemoryCause::Paging,
                 .operation = static_cast<std::uint32_t>(operation),
                 .allocation = slot};
  return made;
}

std::shared_ptr<PagingOperation> Paging::transfer_part(const vidmm::PagingStep& step, bool in,
                                                       std::uint32_t first, std::uint32_t pages) {
  const std::uint32_t slot = step.allocation.value;
  const AllocationObject& allocation = objects_.allocation(slot);
  auto made = start(DXGK_OPERATION_TRANSFER, slot);
  made->mdl = std::make_unique<nt::MdlOverFrames>(allocation.frames, allocation.bytes, 0);
  auto& transfer = made->args.Transfer;
  transfer.hAllocation = allocation.driver;
  transfer.TransferOffset = static_cast<UINT>(first * kPageSize);
  transfer.TransferSize = pages * kPageSize;
  transfer.MdlOffset = first;
  transfer.Flags.AllocationIsIdle = 1;
  transfer.Flags.TransferStart = first == 0;
  transfer.Flags.TransferEnd = first + pages == step.pages;
  const std::uint64_t address = residency_.gpu_address(step.segment.value, step.page);
  const auto give_segment = [&](auto& side) {
    side.SegmentId = step.segment.value;
    side.SegmentAddress.QuadPart = static_cast<LONGLONG>(address);
  };
  const auto give_system = [&](auto& side) { side.pMdl = made->mdl->get(); };
  if (in) {
    give_system(transfer.Source);
    give_segment(transfer.Destination);
  } else {
    give_segment(transfer.Source);
    give_system(transfer.Destination);
  }
  made->record = {.size = transfer.TransferSize,
                  .source_address = in ? 0 : address,
                  .destination_address = in ? address : 0,
                  .source_segment = in ? 0 : step.segment.value,
                  .destination_segment = in ? step.segment.value : 0,
                  .offset = transfer.TransferOffset,
                  .mdl_offset = first,
                  .scattered = allocation.pages > 1};
  made->blame.segment = in ? step.segment.value : 0;
  made->blame.page = step.page;
  made->blame.pages = in ? step.pages : 0;
  return made;
}

std::vector<std::shared_ptr<PagingOperation>> Paging::for_step(const vidmm::PagingStep& step) {
  std::vector<std::shared_ptr<PagingOperation>> operations;
  const std::uint32_t slot = step.allocation.value;
  const AllocationObject& allocation = objects_.allocation(slot);
  const auto in_segment = [&](PagingOperation& made) {
    made.blame.segment = step.segment.value;
    made.blame.page = step.page;
    made.blame.pages = step.pages;
    made.record.page = step.page;
    made.record.pages = step.pages;
    made.record.destination_segment = step.segment.value;
  };
  switch (step.kind) {
    case vidmm::StepKind::Fill: {
      auto made = start(DXGK_OPERATION_FILL, slot);
      const std::uint64_t address = residency_.gpu_address(step.segment.value, step.page);
      made->args.Fill.hAllocation = allocation.driver;
      made->args.Fill.FillSize = step.pages * kPageSize;
      made->args.Fill.FillPattern = 0;
      made->args.Fill.Destination.SegmentId = step.segment.value;
      made->args.Fill.Destination.SegmentAddress.QuadPart = static_cast<LONGLONG>(address);
      in_segment(*made);
      made->record.size = step.pages * kPageSize;
      made->record.destination_address = address;
      operations.push_back(std::move(made));
      break;
    }
    case vidmm::StepKind::TransferIn:
    case vidmm::StepKind::TransferOut: {
      const std::uint32_t chunk =
          choices_.transfer_chunk_pages == 0 ? step.pages : choices_.transfer_chunk_pages;
      for (std::uint32_t first = 0; first < step.pages; first += chunk) {
        const std::uint32_t pages = std::min(chunk, step.pages - first);
        operations.push_back(
            transfer_part(step, step.kind == vidmm::StepKind::TransferIn, first, pages));
        operations.back()->effect = PartEffect{step, first, pages};
      }
      break;
    }
    case vidmm::StepKind::MapAperture: {
      auto made = start(DXGK_OPERATION_MAP_APERTURE_SEGMENT, slot);
      made->mdl = std::make_unique<nt::MdlOverFrames>(allocation.frames, allocation.bytes, 0);
      auto& map = made->args.MapApertureSegment;
      map.hDevice = objects_.device(allocation.device).driver;
      map.hAllocation = allocation.driver;
      map.SegmentId = step.segment.value;
      map.OffsetInPages = step.page;
      map.NumberOfPages = step.pages;
      map.pMdl = made->mdl->get();
      in_segment(*made);
      made->record.scattered = allocation.pages > 1;
      operations.push_back(std::move(made));
      break;
    }
    case vidmm::StepKind::UnmapAperture: {
      auto made = start(DXGK_OPERATION_UNMAP_APERTURE_SEGMENT, slot);
      auto& unmap = made->args.UnmapApertureSegment;
      unmap.hDevice = objects_.device(allocation.device).driver;
      unmap.hAllocation = allocation.driver;
      unmap.SegmentId = step.segment.value;
      unmap.OffsetInPages = step.page;
      unmap.NumberOfPages = step.pages;
      unmap.DummyPage.QuadPart = static_cast<LONGLONG>(memory_.dummy_frame() * kPageSize);
      in_segment(*made);
      operations.push_back(std::move(made));
      break;
    }
    case vidmm::StepKind::Discard: {
      auto made = start(DXGK_OPERATION_DISCARD_CONTENT, slot);
      made->args.DiscardContent.hAllocation = allocation.driver;
      made->args.DiscardContent.Flags.AllocationIsIdle = 1;
      made->args.DiscardContent.SegmentId = step.segment.value;
      made->args.DiscardContent.SegmentAddress.QuadPart =
          static_cast<LONGLONG>(residency_.gpu_address(step.segment.value, step.page));
      in_segment(*made);
      operations.push_back(std::move(made));
      break;
    }
  }
  operations.back()->effect = StepEffect{step};
  return operations;
}

std::shared_ptr<PagingOperation> Paging::fill(std::uint32_t slot, std::uint32_t pattern) {
  const AllocationObject& allocation = objects_.allocation(slot);
  const PlaceInSegment place = residency_.planned(slot);
  auto made = start(DXGK_OPERATION_FILL, slot);
  const std::uint64_t address = residency_.gpu_address(place.segment, place.page);
  made->args.Fill.hAllocation = allocation.driver;
  made->args.Fill.FillSize = allocation.bytes;
  made->args.Fill.FillPattern = pattern;
  made->args.Fill.Destination.SegmentId = place.segment;
  made->args.Fill.Destination.SegmentAddress.QuadPart = static_cast<LONGLONG>(address);
  made->record = {.size = allocation.bytes,
                  .destination_address = address,
                  .destination_segment = place.segment,
                  .pattern = pattern,
                  .page = place.page,
                  .pages = allocation.pages};
  made->effect = FillEffect{slot, pattern};
  return made;
}

std::shared_ptr<PagingOperation> Paging::discard(std::uint32_t slot) {
  const PlaceInSegment place = residency_.planned(slot);
  auto made = start(DXGK_OPERATION_DISCARD_CONTENT, slot);
  made->args.DiscardContent.hAllocation = objects_.allocation(slot).driver;
  made->args.DiscardContent.Flags.AllocationIsIdle = 1;
  made->args.DiscardContent.SegmentId = place.segment;
  made->args.DiscardContent.SegmentAddress.QuadPart =
      static_cast<LONGLONG>(residency_.gpu_address(place.segment, place.page));
  made->effect = DiscardEffect{slot};
  return made;
}

std::shared_ptr<PagingOperation> Paging::transfer(std::uint32_t from_segment,
                                                  std::uint32_t from_page, std::uint32_t segment,
                                                  std::uint32_t page, std::uint32_t pages) {
  auto made = start(DXGK_OPERATION_TRANSFER, kNone);
  auto& transfer = made->args.Transfer;
  transfer.TransferSize = pages * kPageSize;
  transfer.Flags.AllocationIsIdle = 1;
  transfer.Flags.TransferStart = 1;
  transfer.Flags.TransferEnd = 1;
  transfer.Source.SegmentId = from_segment;
  transfer.Source.SegmentAddress.QuadPart =
      static_cast<LONGLONG>(residency_.gpu_address(from_segment, from_page));
  transfer.Destination.SegmentId = segment;
  transfer.Destination.SegmentAddress.QuadPart =
      static_cast<LONGLONG>(residency_.gpu_address(segment, page));
  made->record = {.size = transfer.TransferSize,
                  .source_address = residency_.gpu_address(from_segment, from_page),
                  .destination_address = residency_.gpu_address(segment, page),
                  .source_segment = from_segment,
                  .destination_segment = segment,
                  .page = page,
                  .pages = pages};
  made->blame.segment = segment;
  made->blame.page = page;
  made->blame.pages = pages;
  made->effect = TransferEffect{from_segment, from_page, segment, page, pages};
  return made;
}

std::shared_ptr<PagingOperation> Paging::map(std::uint32_t page,
                                             std::span<const memory::Frame> frames,
                                             std::uint32_t mdl_offset) {
  const std::uint32_t segment = residency_.aperture_segment();
  auto made = start(DXGK_OPERATION_MAP_APERTURE_SEGMENT, kNone);
  made->mdl = std::make_unique<nt::MdlOverFrames>(frames, frames.size() * kPageSize, 0);
  auto& map = made->args.MapApertureSegment;
  map.SegmentId = segment;
  map.OffsetInPages = page;
  map.NumberOfPages = frames.size() - mdl_offset;
  map.pMdl = made->mdl->get();
  map.MdlOffset = mdl_offset;
  made->record = {.destination_segment = segment,
                  .mdl_offset = mdl_offset,
                  .page = page,
                  .pages = static_cast<std::uint32_t>(map.NumberOfPages),
                  .scattered = 1};
  made->effect = MapEffect{segment, page, {frames.begin() + mdl_offset, frames.end()}};
  return made;
}

std::shared_ptr<PagingOperation> Paging::unmap(std::uint32_t page, std::uint32_t pages,
                                               std::vector<memory::Frame> frames) {
  const std::uint32_t segment = residency_.aperture_segment();
  auto made = start(DXGK_OPERATION_UNMAP_APERTURE_SEGMENT, kNone);
  auto& unmap = made->args.UnmapApertureSegment;
  unmap.SegmentId = segment;
  unmap.OffsetInPages = page;
  unmap.NumberOfPages = pages;
  unmap.DummyPage.QuadPart = static_cast<LONGLONG>(memory_.dummy_frame() * kPageSize);
  made->record = {.destination_segment = segment, .page = page, .pages = pages};
  made->effect = UnmapEffect{segment, page, pages, std::move(frames)};
  return made;
}

}  // namespace wddm::host
