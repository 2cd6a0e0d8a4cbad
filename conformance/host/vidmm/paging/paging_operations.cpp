#include "conformance/host/vidmm/paging/paging_operations.h"

#include <algorithm>
#include <utility>

#include "conformance/host/vidmm/paging/operation_parts.h"
#include "reference/harness_assert.h"

namespace wddm::host {

using operation_parts::give_segment;
using operation_parts::place_of;
using operation_parts::start;
using operation_parts::write_only_where;

namespace {

// What is the same for all operations of a step but transfers.
void of_step(PagingOperation& made, const vidmm::PagingStep& step) {
  write_only_where(made, place_of(step), step.pages);
  made.record.page = step.page;
  made.record.pages = step.pages;
  made.record.destination_segment = step.segment.value;
}

PagingOperationPtr fill_for(const PagingScene& scene, const vidmm::PagingStep& step) {
  auto made = start(DXGK_OPERATION_FILL, step.allocation);
  auto& fill = made->args.Fill;
  fill.hAllocation = scene.objects.allocation(step.allocation).driver;
  fill.FillSize = step.pages * kPageSize;
  fill.FillPattern = 0;
  of_step(*made, step);
  made->record.size = fill.FillSize;
  made->record.destination_address = give_segment(scene, fill.Destination, place_of(step));
  return made;
}

// The MDL of a part leaves out half of the pages before it, so that neither offset tells the other.
// Not of what is converted: which pages of its MDL belong to those of the segment the driver knows.
PagingOperationPtr transfer_part(const PagingScene& scene, const vidmm::PagingStep& step,
                                 std::uint32_t first, std::uint32_t pages) {
  const bool in = step.kind == vidmm::StepKind::TransferIn;
  const AllocationObject& allocation = scene.objects.allocation(step.allocation);
  const std::uint32_t left_out = allocation.linear ? 0 : (first + 1) / 2;
  const std::uint32_t mdl_offset = first - left_out;
  auto made = start(DXGK_OPERATION_TRANSFER, step.allocation);
  made->mdl = std::make_unique<nt::MdlOverFrames>(std::span(allocation.frames).subspan(left_out),
                                                  allocation.bytes - left_out * kPageSize, 0);
  auto& transfer = made->args.Transfer;
  transfer.hAllocation = allocation.driver;
  transfer.TransferOffset = static_cast<UINT>(first * kPageSize);
  transfer.TransferSize = pages * kPageSize;
  transfer.MdlOffset = mdl_offset;
  transfer.Flags.TransferStart = first == 0;
  transfer.Flags.TransferEnd = first + pages == step.pages;
  transfer.Flags.Swizzle = in && allocation.linear;
  transfer.Flags.Unswizzle = !in && allocation.linear;
  std::uint64_t address = 0;
  if (in) {
    transfer.Source.pMdl = made->mdl->get();
    address = give_segment(scene, transfer.Destination, place_of(step));
  } else {
    address = give_segment(scene, transfer.Source, place_of(step));
    transfer.Destination.pMdl = made->mdl->get();
  }
  made->record = {.size = transfer.TransferSize,
                  .source_address = in ? 0 : address,
                  .destination_address = in ? address : 0,
                  .source_segment = in ? 0 : step.segment.value,
                  .destination_segment = in ? step.segment.value : 0,
                  .offset = transfer.TransferOffset,
                  .mdl_offset = mdl_offset,
                  .scattered = allocation.pages > 1};
  write_only_where(*made, {in ? step.segment : kNoSegment, step.page}, in ? step.pages : 0);
  made->effect = PartEffect{step, first, pages, allocation.linear};
  return made;
}

// Pages that go from one place in segments to another, in one or more transfers.
struct Journey {
  AllocationId allocation = kNoAllocation;  // none: they are only pages
  PlaceInSegment from, to;
  std::uint32_t pages = 0;
};

PagingOperationPtr journey_part(const PagingScene& scene, const Journey& journey,
                                std::uint32_t first, std::uint32_t pages) {
  const auto& [id, from, to, all] = journey;
  auto made = start(DXGK_OPERATION_TRANSFER, id);
  auto& transfer = made->args.Transfer;
  if (id != kNoAllocation) transfer.hAllocation = scene.objects.allocation(id).driver;
  transfer.TransferOffset = static_cast<UINT>(first * kPageSize);
  transfer.TransferSize = pages * kPageSize;
  transfer.Flags.TransferStart = first == 0;
  transfer.Flags.TransferEnd = first + pages == all;
  made->record = {.size = transfer.TransferSize,
                  .source_address = give_segment(scene, transfer.Source, from),
                  .destination_address = give_segment(scene, transfer.Destination, to),
                  .source_segment = from.segment.value,
                  .destination_segment = to.segment.value,
                  .offset = transfer.TransferOffset,
                  .page = to.page + first,
                  .pages = pages};
  write_only_where(*made, {to.segment, to.page + first}, pages);
  return made;
}

PagingOperationPtr part_within(const PagingScene& scene, const vidmm::PagingStep& step,
                               std::uint32_t first, std::uint32_t pages) {
  const Journey journey{step.allocation, place_of(vidmm::origin_of(step)), place_of(step),
                        step.pages};
  auto made = journey_part(scene, journey, first, pages);
  made->effect = PartEffect{step, first, pages};
  return made;
}

// Out of memory to where an aperture of EvictionSegmentSet shows its system pages.
PagingOperationPtr part_through(const PagingScene& scene, const vidmm::PagingStep& step,
                                std::uint32_t first, std::uint32_t pages) {
  const Journey journey{
      step.allocation, place_of(step), {step.through, step.through_page}, step.pages};
  auto made = journey_part(scene, journey, first, pages);
  made->effect = PartEffect{step, first, pages};
  return made;
}

std::vector<PagingOperationPtr> transfers_for(const PagingScene& scene,
                                              const vidmm::PagingStep& step,
                                              std::uint32_t chunk_pages) {
  const AllocationObject& allocation = scene.objects.allocation(step.allocation);
  const bool within = step.kind == vidmm::StepKind::TransferWithin;
  const bool locked = !within && allocation.view.has_value();
  const bool shown = !within && !locked && step.through != kNoSegment;
  // A view in another order goes at once: where its tiles begin only the driver knows.
  const bool reordered = locked && !allocation.view->bytes.empty();
  const std::uint32_t chunk = chunk_pages == 0 || reordered ? step.pages : chunk_pages;
  std::vector<PagingOperationPtr> parts;
  const auto part = within   ? part_within
                    : locked ? special_lock_part
                    : shown  ? part_through
                             : transfer_part;
  for (std::uint32_t first = 0; first < step.pages; first += chunk) {
    parts.push_back(part(scene, step, first, std::min(chunk, step.pages - first)));
  }
  return parts;
}

// Pages of an aperture, and what they are to show: the frames from `first` on.
struct ShownFrames {
  PlaceInSegment place;
  std::span<const memory::Frame> frames;
  std::uint32_t first = 0;
  [[nodiscard]] std::uint32_t pages() const {
    return static_cast<std::uint32_t>(frames.size()) - first;
  }
};

void map_by_mdl(PagingOperation& made, const ShownFrames& mapped) {
  made.mdl =
      std::make_unique<nt::MdlOverFrames>(mapped.frames, mapped.frames.size() * kPageSize, 0);
  auto& map = made.args.MapApertureSegment;
  map.SegmentId = mapped.place.segment.value;
  map.OffsetInPages = mapped.place.page;
  map.NumberOfPages = mapped.pages();
  map.pMdl = made.mdl->get();
  map.MdlOffset = mapped.first;
}

// One page alone is a list: either form would do.
void map_by_address_list(PagingOperation& made, const ShownFrames& mapped) {
  const bool contiguous = mapped.frames.size() > 1 &&
                          std::adjacent_find(mapped.frames.begin(), mapped.frames.end(),
                                             [](auto one, auto next) { return next != one + 1; }) ==
                              mapped.frames.end();
  made.page_numbers.assign(mapped.frames.begin(), mapped.frames.end());
  auto& map = made.args.MapApertureSegment2;
  map.SegmentId = mapped.place.segment.value;
  map.OffsetInPages = mapped.place.page;
  map.NumberOfPages = mapped.pages();
  map.Adl.PageCount = static_cast<UINT32>(mapped.frames.size());
  map.Adl.Flags.Contiguous = contiguous;
  if (contiguous) {
    map.Adl.BasePageNumber = mapped.frames.front();
  } else {
    map.Adl.Pages = made.page_numbers.data();
  }
  map.AdlOffset = mapped.first;
}

PagingOperationPtr map_for(const PagingScene& scene, const vidmm::PagingStep& step) {
  const AllocationObject& allocation = scene.objects.allocation(step.allocation);
  const HANDLE device = scene.objects.device(allocation.device).driver;
  const ShownFrames mapped{place_of(step), allocation.frames};
  PagingOperationPtr made;
  if (scene.residency.maps_by_address_lists()) {
    made = start(DXGK_OPERATION_MAP_APERTURE_SEGMENT2, step.allocation);
    map_by_address_list(*made, mapped);
    made->args.MapApertureSegment2.hDevice = device;
    made->args.MapApertureSegment2.hAllocation = allocation.driver;
  } else {
    made = start(DXGK_OPERATION_MAP_APERTURE_SEGMENT, step.allocation);
    map_by_mdl(*made, mapped);
    made->args.MapApertureSegment.hDevice = device;
    made->args.MapApertureSegment.hAllocation = allocation.driver;
  }
  of_step(*made, step);
  made->record.scattered = allocation.pages > 1;
  return made;
}

PagingOperationPtr unmap_for(const PagingScene& scene, const vidmm::PagingStep& step,
                             memory::Frame dummy) {
  const AllocationObject& allocation = scene.objects.allocation(step.allocation);
  auto made = unmap_at(place_of(step), step.pages, dummy);
  made->allocation = made->blame.allocation = step.allocation;
  auto& unmap = made->args.UnmapApertureSegment;
  unmap.hDevice = scene.objects.device(allocation.device).driver;
  unmap.hAllocation = allocation.driver;
  of_step(*made, step);
  return made;
}

PagingOperationPtr discard_at(const PagingScene& scene, AllocationId id, PlaceInSegment place) {
  auto made = start(DXGK_OPERATION_DISCARD_CONTENT, id);
  made->args.DiscardContent.hAllocation = scene.objects.allocation(id).driver;
  give_segment(scene, made->args.DiscardContent, place);
  return made;
}

PagingOperationPtr discard_for(const PagingScene& scene, const vidmm::PagingStep& step) {
  auto made = discard_at(scene, step.allocation, place_of(step));
  of_step(*made, step);
  return made;
}

std::vector<PagingOperationPtr> parts_for(const PagingScene& scene, const vidmm::PagingStep& step,
                                          std::uint32_t chunk_pages, memory::Frame dummy) {
  switch (step.kind) {
    case vidmm::StepKind::Fill:
      return {fill_for(scene, step)};
    case vidmm::StepKind::TransferIn:
    case vidmm::StepKind::TransferOut:
    case vidmm::StepKind::TransferWithin:
      return transfers_for(scene, step, chunk_pages);
    case vidmm::StepKind::MapAperture:
      return {map_for(scene, step)};
    case vidmm::StepKind::UnmapAperture:
      return {unmap_for(scene, step, dummy)};
    case vidmm::StepKind::Discard:
      return {discard_for(scene, step)};
  }
  return {};
}

}  // namespace

// The last part carries the step to its end.
std::vector<PagingOperationPtr> operations_for(const PagingScene& scene,
                                               const vidmm::PagingStep& step,
                                               std::uint32_t chunk_pages, memory::Frame dummy) {
  std::vector<PagingOperationPtr> parts = parts_for(scene, step, chunk_pages, dummy);
  HARNESS_ASSERT(!parts.empty());
  const bool special = std::holds_alternative<SpecialLockEffect>(parts.back()->effect);
  const auto& args = parts.back()->args;
  const bool transfer = args.Operation == DXGK_OPERATION_TRANSFER;
  const bool converts =
      transfer && (args.Transfer.Flags.Swizzle != 0 || args.Transfer.Flags.Unswizzle != 0);
  if (!special) parts.back()->effect = StepEffect{step, converts};
  return parts;
}

PagingOperationPtr fill_of(const PagingScene& scene, AllocationId id, std::uint32_t pattern) {
  const AllocationObject& allocation = scene.objects.allocation(id);
  const PlaceInSegment place = scene.residency.planned(id);
  auto made = start(DXGK_OPERATION_FILL, id);
  auto& fill = made->args.Fill;
  fill.hAllocation = allocation.driver;
  fill.FillSize = allocation.bytes;
  fill.FillPattern = pattern;
  made->record = {.size = allocation.bytes,
                  .destination_address = give_segment(scene, fill.Destination, place),
                  .destination_segment = place.segment.value,
                  .pattern = pattern,
                  .page = place.page,
                  .pages = allocation.pages};
  made->effect = FillEffect{id, pattern, 0, allocation.pages};
  return made;
}

PagingOperationPtr discard_of(const PagingScene& scene, AllocationId id) {
  auto made = discard_at(scene, id, scene.residency.planned(id));
  made->effect = DiscardEffect{id};
  return made;
}

// What a write leaves there no document says, nor how much of 8 bytes it is.
PagingOperationPtr touch_of(const PagingScene& scene, AllocationId id, std::uint64_t offset,
                            bool write) {
  const PlaceInSegment place = scene.residency.planned(id);
  const auto address = static_cast<LONGLONG>(scene.residency.gpu_address(place) + offset);
  auto made = start(write ? DXGK_OPERATION_WRITE_PHYSICAL : DXGK_OPERATION_READ_PHYSICAL, id);
  if (write) {
    made->args.WritePhysical.SegmentId = place.segment.value;
    made->args.WritePhysical.PhysicalAddress.QuadPart = address;
    made->effect = DiscardEffect{id};
  } else {
    made->args.ReadPhysical.SegmentId = place.segment.value;
    made->args.ReadPhysical.PhysicalAddress.QuadPart = address;
    made->effect = NoEffect{};
  }
  made->record = {.size = 8,
                  .destination_address = static_cast<std::uint64_t>(address),
                  .destination_segment = place.segment.value};
  return made;
}

std::vector<PagingOperationPtr> transfers_of(const PagingScene& scene, PlaceInSegment from,
                                             PlaceInSegment to, std::uint32_t pages,
                                             std::uint32_t chunk_pages) {
  const std::uint32_t chunk = chunk_pages == 0 ? pages : chunk_pages;
  std::vector<PagingOperationPtr> parts;
  for (std::uint32_t first = 0; first < pages; first += chunk) {
    const std::uint32_t count = std::min(chunk, pages - first);
    auto made = journey_part(scene, {kNoAllocation, from, to, pages}, first, count);
    made->effect =
        TransferEffect{from.segment, from.page + first, to.segment, to.page + first, count};
    parts.push_back(std::move(made));
  }
  return parts;
}

PagingOperationPtr map_at(const PagingScene& scene, PlaceInSegment place,
                          std::span<const memory::Frame> frames, std::uint32_t mdl_offset) {
  const ShownFrames mapped{place, frames, mdl_offset};
  const bool by_list = scene.residency.maps_by_address_lists();
  auto made =
      start(by_list ? DXGK_OPERATION_MAP_APERTURE_SEGMENT2 : DXGK_OPERATION_MAP_APERTURE_SEGMENT,
            kNoAllocation);
  (by_list ? map_by_address_list : map_by_mdl)(*made, mapped);
  made->record = {.destination_segment = place.segment.value,
                  .mdl_offset = mdl_offset,
                  .page = place.page,
                  .pages = mapped.pages(),
                  .scattered = 1};
  return made;
}

PagingOperationPtr map_of(const PagingScene& scene, PlaceInSegment place,
                          std::span<const memory::Frame> frames, std::uint32_t mdl_offset) {
  auto made = map_at(scene, place, frames, mdl_offset);
  made->effect = MapEffect{place.segment, place.page, {frames.begin() + mdl_offset, frames.end()}};
  return made;
}

PagingOperationPtr unmap_at(PlaceInSegment place, std::uint32_t pages, memory::Frame dummy) {
  auto made = start(DXGK_OPERATION_UNMAP_APERTURE_SEGMENT, kNoAllocation);
  auto& unmap = made->args.UnmapApertureSegment;
  unmap.SegmentId = place.segment.value;
  unmap.OffsetInPages = place.page;
  unmap.NumberOfPages = pages;
  unmap.DummyPage.QuadPart = static_cast<LONGLONG>(dummy * kPageSize);
  made->record = {.destination_segment = place.segment.value, .page = place.page, .pages = pages};
  return made;
}

PagingOperationPtr unmap_of(PlaceInSegment place, std::uint32_t pages,
                            std::vector<memory::Frame> frames, memory::Frame dummy) {
  auto made = unmap_at(place, pages, dummy);
  made->effect = UnmapEffect{place.segment, place.page, pages, std::move(frames)};
  return made;
}

}  // namespace wddm::host
