#include "conformance/host/gpuva/virtual_contents.h"

#include <algorithm>
#include <utility>

#include "conformance/host/adapter/segment_memory.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/gpuva/tables/page_table_operations.h"
#include "conformance/host/gpuva/tables/paging_layout.h"
#include "conformance/host/vidmm/paging/operation_parts.h"

namespace wddm::host {
namespace {

// The last part carries the step to its end.
PagingEffect part_of(const vidmm::PagingStep& step, std::uint32_t first, std::uint32_t pages) {
  if (first + pages == step.pages) return StepEffect{step};
  return PartEffect{step, first, pages};
}

constexpr const char* kTooMany = "a window of the paging process does not show so many bytes";

constexpr const char* kNoDirection =
    "neither is in a memory segment: TransferVirtual has no direction for that";

constexpr const char* kNoWayIn = "the driver's entries do not lead into an aperture segment";

// AccessedPhysically and ExplicitResidencyNotification.
constexpr std::uint32_t kNotified = 0x18000;

std::uint64_t bytes_of(const PageRuns& pages) {
  std::uint64_t bytes = 0;
  for (const gpummu::PageRun& run : pages) bytes += run.bytes;
  return bytes;
}

}  // namespace

PageRuns VirtualContents::in_segment(const vidmm::PagingStep& step, std::uint32_t first,
                                     std::uint32_t pages) const {
  return run_at({step.segment, step.page}, first, pages, gpu_of(step.allocation));
}

PageRuns VirtualContents::in_system(AllocationId allocation, std::uint32_t first,
                                    std::uint32_t pages) const {
  return run_of(std::span(scene_.objects.allocation(allocation).frames).subspan(first, pages));
}

void VirtualContents::show(gpummu::GpuVirtualAddress window, const PageRuns& pages,
                           const Mapped& mapped, bool in_64kb_pages) {
  const std::uint64_t bytes = bytes_of(pages);
  // What was paged out the CPU caches like any memory; what the driver writes packets to, not.
  const bool coherent = mapped.allocation != kNoAllocation && in_system_memory(pages);
  gpummu::Map map{
      .range = {window, bytes}, .pages = pages, .protection = {.cache_coherent = coherent}};
  map.use_64kb_pages = in_64kb_pages;
  spaces_.step(kSystemProcess, map,
               {.allocation = mapped.allocation, .offset = mapped.offset, .range = map.range});
}

// Addresses and places are alike inside a page of 64 KB, also where 16 entries of 4 KB lead there
// (PGSZ-013): how far behind the beginning of a window such memory is shown, less than 64 KB.
std::uint64_t VirtualContents::behind(gpummu::GpuVirtualAddress window,
                                      const PageRuns& pages) const {
  if (pages.empty() || pages.front().first.segment == kNoSegment) return 0;
  const gpummu::PhysicalAddress& first = pages.front().first;
  if (adapter_.segment(first.segment).flags.Use64KBPages == 0) return 0;
  if (decisions().commits(OracleFault::WindowsOutOfPhase)) return 0;
  return (first.offset - window.value) % gpummu::kPageSize64K / kPageSize * kPageSize;
}

// Where both cross a border they do so at the same page or at two that follow each other, by how
// many pages there are; what has its place inside a page of 64 KB crosses where that lets it.
gpummu::GpuVirtualAddress VirtualContents::window_for(Window window, const PageRuns& shown) const {
  const std::optional<CrossedLeaves>& crossed = spaces_.crossed_leaves();
  const bool source = window == Window::Source;
  if (!crossed) {
    const gpummu::GpuVirtualAddress at = source ? paging_source() : paging_destination();
    return {at.value + behind(at, shown)};
  }
  const std::uint64_t pages = bytes_of(shown) / kPageSize;
  const std::uint64_t border = source ? crossed->source.value : crossed->destination.value;
  std::uint64_t at = border - (source ? pages / 2 : (pages + 1) / 2) * kPageSize;
  const std::uint64_t further = behind({at}, shown);
  at += further;
  if (further != 0 && at >= border) at -= gpummu::kPageSize64K;
  return {at};
}

VirtualContents::Shown VirtualContents::show_part(Window window, const PageRuns& pages,
                                                  const Mapped& mapped) {
  const std::optional<LargeWindows>& large = spaces_.large_windows();
  const bool source = window == Window::Source;
  Shown shown{.at = window_for(window, pages)};
  if (large && in_64kb_pages(adapter_, pages)) {
    shown = {.at = source ? large->source : large->destination, .in_64kb_pages = true};
  }
  show(shown.at, pages, mapped, shown.in_64kb_pages);
  return shown;
}

void VirtualContents::queue_transfer(const PagingOperationPtr& transfer, const Shown& from,
                                     const Shown& to) {
  auto& args = transfer->args.TransferVirtual;
  const bool tells = decisions().tells_page_sizes();
  args.Flags.Src64KBPages = tells && from.in_64kb_pages;
  args.Flags.Dst64KBPages = tells && to.in_64kb_pages;
  const std::uint64_t bytes = args.TransferSizeInBytes;
  ev::TransferBuilt built{
      .source = from.at.value,
      .destination = to.at.value,
      .size = bytes,
      .allocation = transfer->allocation.value,
      .status = 0,
      .flags = args.Flags.Flags,
      .source_page = spaces_.page_bytes({from.at, bytes}, transfer->physical_adapter),
      .destination_page = spaces_.page_bytes({to.at, bytes}, transfer->physical_adapter),
      .physical_adapter = transfer->physical_adapter};
  queue_.queue(transfer);
  built.status = transfer->status;
  session().tap(built);
}

// For each part both windows are mapped anew: it is several packets.
std::uint32_t VirtualContents::pages_at_once(std::uint32_t pages) const {
  constexpr std::uint32_t kMostParts = 64;
  const std::uint32_t most = window_pages();
  const std::uint32_t chosen = queue_.transfer_pages(pages, kMostParts);
  return chosen == 0 ? most : std::min(chosen, most);
}

// More than many an engine moves by one command, where there is room: the windows across leaf
// tables are a leaf table's range apart.
std::uint32_t VirtualContents::window_pages() const {
  const std::optional<CrossedLeaves>& crossed = spaces_.crossed_leaves();
  if (!crossed || spaces_.large_windows()) return kWindow;
  return static_cast<std::uint32_t>((crossed->destination.value - crossed->source.value) /
                                    kPageSize / 2);
}

void VirtualContents::wait_for_windows(std::uint32_t first) {
  const gpummu::GpuMmuCaps& caps = adapter_.gpummu()->geometry->caps();
  const bool by_cpu = caps.page_table_update_mode == gpummu::PageTableUpdateMode::CpuVirtual;
  if (first != 0 && !by_cpu) return;
  if (decisions().evicts_at_once()) return waits_.for_paging();
  waits_.for_earlier_work();
}

// Only of allocations whose driver asked for it. That memory stays as it is while the buffer is
// built is seen where the CPU sees the segment.
void VirtualContents::tell(const vidmm::PagingStep& step, bool resident) {
  const AllocationObject& object = scene_.objects.allocation(step.allocation);
  if (!object.notify_residency || waits_.abandoned()) return;
  const std::uint32_t gpu = gpu_of(step.allocation);
  const SegmentDescription& segment = adapter_.segment(step.segment, gpu);
  const std::uint64_t offset = step.page * kPageSize, bytes = step.pages * kPageSize;
  const std::uint8_t* const seen =
      segment.flags.CpuVisible
          ? segment_memory_at(adapter_.bus(), segment.cpu_address + offset, bytes)
          : nullptr;
  const std::vector<std::uint8_t> before(seen, seen == nullptr ? seen : seen + bytes);
  const auto operation = residency_notice_of(
      scene_, step.allocation, resident,
      resident ? gpummu::PhysicalAddress{.offset = offset, .segment = step.segment}
               : gpummu::PhysicalAddress{});
  operation->physical_adapter = gpu;
  PagingQueue::Buffers buffers = queue_.build(operation);
  std::uint32_t changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) changed += before[i] != seen[i] ? 1 : 0;
  const auto& args = operation->args.NotifyResidency;
  session().tap(ev::ResidencyNotified{.offset = args.PhysicalAddress.SegmentOffset,
                                      .allocation = step.allocation.value,
                                      .resident = resident,
                                      .segment = args.PhysicalAddress.SegmentId,
                                      .status = operation->status,
                                      .changed = seen != nullptr ? changed : kNone,
                                      .explicit_flags = kNotified});
  queue_.queue(std::move(buffers));
}

void VirtualContents::bring_in(const vidmm::PagingStep& step) {
  if (step.kind == vidmm::StepKind::Fill) {
    fill(step);
  } else {
    move(step);
  }
  tell(step, true);
}

void VirtualContents::take_out(const vidmm::PagingStep& step) {
  tell(step, false);
  move(step);
}

void VirtualContents::fill(const vidmm::PagingStep& step) {
  const std::uint32_t most = pages_at_once(step.pages);
  for (std::uint32_t first = 0; first < step.pages; first += most) {
    const std::uint32_t pages = std::min(most, step.pages - first);
    const Mapped part{step.allocation, first * kPageSize};
    wait_for_windows(first);
    const PageRuns there = in_segment(step, first, pages);
    const gpummu::GpuVirtualAddress at = window_for(Window::Destination, there);
    show(at, there, part);
    const auto operation = virtual_fill_of(scene_, part, pages * kPageSize, 0, at);
    operation_parts::write_only_where(*operation, {step.segment, step.page + first}, pages);
    operation->physical_adapter = gpu_of(step.allocation);
    operation->effect = part_of(step, first, pages);
    queue_.queue(operation);
    if (waits_.abandoned()) return;
    if (decisions().tells_of_each_part() && first + pages < step.pages) tell(step, true);
  }
}

// Where a transfer of an allocation reads, and where it writes.
VirtualContents::Ways VirtualContents::ways(const vidmm::PagingStep& step, std::uint32_t first,
                                            std::uint32_t pages) const {
  PageRuns local = in_segment(step, first, pages);
  if (step.kind == vidmm::StepKind::TransferWithin) {
    return {in_segment(vidmm::origin_of(step), first, pages), std::move(local),
            Direction::WithinLocal};
  }
  PageRuns system = in_system(step.allocation, first, pages);
  if (step.kind == vidmm::StepKind::TransferIn) {
    return {std::move(system), std::move(local), Direction::ToLocal};
  }
  return {std::move(local), std::move(system), Direction::ToSystem};
}

void VirtualContents::move(const vidmm::PagingStep& step) {
  if (step.kind == vidmm::StepKind::TransferWithin) tell(vidmm::origin_of(step), false);
  const std::uint32_t most = pages_at_once(step.pages);
  for (std::uint32_t first = 0; first < step.pages; first += most) {
    const std::uint32_t pages = std::min(most, step.pages - first);
    const Mapped part{step.allocation, first * kPageSize};
    wait_for_windows(first);
    const auto [source, destination, direction] = ways(step, first, pages);
    const Shown from = show_part(Window::Source, source, part);
    const Shown to = show_part(Window::Destination, destination, part);
    const auto operation =
        virtual_transfer_of(scene_, part, pages * kPageSize, from.at, to.at, direction);
    // The allocation itself lies there when all its parts have come.
    if (direction != Direction::ToSystem) {
      operation_parts::write_only_where(*operation, {step.segment, step.page + first}, pages);
    }
    operation->physical_adapter = gpu_of(step.allocation);
    operation->effect = part_of(step, first, pages);
    queue_transfer(operation, from, to);
    if (waits_.abandoned()) return;
  }
}

void VirtualContents::fill_memory(AllocationId allocation, std::uint32_t pattern) {
  const PlaceInSegment place = scene_.residency.planned(allocation);
  const std::uint32_t all = scene_.objects.allocation(allocation).pages;
  const std::uint32_t most = pages_at_once(all);
  for (std::uint32_t first = 0; first < all; first += most) {
    const std::uint32_t pages = std::min(most, all - first);
    const Mapped part{allocation, first * kPageSize};
    wait_for_windows(first);
    const PageRuns there = run_at(place, first, pages, gpu_of(allocation));
    const gpummu::GpuVirtualAddress at = window_for(Window::Destination, there);
    show(at, there, part);
    const auto operation = virtual_fill_of(scene_, part, pages * kPageSize, pattern, at);
    operation->physical_adapter = queue_.physical_adapter();
    operation->effect = FillEffect{allocation, pattern, first, pages};
    queue_.queue(operation);
    if (waits_.abandoned()) return;
  }
}

// -- bytes

VirtualContents::BytesInPages VirtualContents::pages_around(const Mapped& at, const PageRuns& pages,
                                                            std::uint64_t bytes) {
  const std::uint64_t inside = at.offset % kPageSize, first = at.offset - inside;
  return {cut_out(pages, first, whole_pages(inside + bytes)), {at.allocation, first}, inside};
}

const char* VirtualContents::fill_bytes(const Mapped& at, const PageRuns& pages,
                                        std::uint64_t bytes, std::uint32_t pattern) {
  if (at.offset % kPageSize + bytes > kWindowBytes) return kTooMany;
  waits_.for_earlier_work();
  const BytesInPages there = pages_around(at, pages, bytes);
  const gpummu::GpuVirtualAddress shown = window_for(Window::Destination, there.pages);
  show(shown, there.pages, there.mapped);
  const auto operation = virtual_fill_of(scene_, at, bytes, pattern, {shown.value + there.inside});
  operation->effect = FillBytesEffect{at.allocation, at.offset, bytes, pattern};
  queue_.queue(operation);
  return nullptr;
}

VirtualContents::Shown VirtualContents::show_bytes(Window window, const BytesInPages& there) {
  Shown shown = show_part(window, there.pages, there.mapped);
  shown.at.value += there.inside;
  return shown;
}

// Of two allocations none is the one that is transferred: what is copied is linear memory.
const char* VirtualContents::transfer_bytes(const Mapped& to, const PageRuns& to_pages,
                                            const Mapped& from, const PageRuns& from_pages,
                                            std::uint64_t bytes) {
  const std::uint64_t inside = std::max(to.offset % kPageSize, from.offset % kPageSize);
  if (inside + bytes > kWindowBytes) return kTooMany;
  const bool from_system = in_system_memory(from_pages), to_system = in_system_memory(to_pages);
  if (from_system && to_system) return kNoDirection;
  waits_.for_earlier_work();
  const Shown source = show_bytes(Window::Source, pages_around(from, from_pages, bytes));
  const Shown destination = show_bytes(Window::Destination, pages_around(to, to_pages, bytes));
  const Direction direction = to_system     ? Direction::ToSystem
                              : from_system ? Direction::ToLocal
                                            : Direction::WithinLocal;
  const auto operation =
      virtual_transfer_of(scene_, {}, bytes, source.at, destination.at, direction);
  operation->blame.allocation = to.allocation;
  operation->effect =
      TransferBytesEffect{to.allocation, to.offset, from.allocation, from.offset, bytes};
  queue_transfer(operation, source, destination);
  return nullptr;
}

const char* VirtualContents::transfer(PlaceInSegment from, PlaceInSegment to,
                                      std::uint32_t pages_in_all) {
  const bool from_aperture = scene_.residency.is_aperture(from.segment);
  const bool to_aperture = scene_.residency.is_aperture(to.segment);
  const Direction direction = to_aperture     ? Direction::ToSystem
                              : from_aperture ? Direction::ToLocal
                                              : Direction::WithinLocal;
  const std::uint32_t most = pages_at_once(pages_in_all);
  for (std::uint32_t first = 0; first < pages_in_all; first += most) {
    const std::uint32_t pages = std::min(most, pages_in_all - first);
    const Mapped part{.offset = first * kPageSize};
    wait_for_windows(first);
    const Shown source = show_part(Window::Source, run_at(from, first, pages), part);
    const Shown destination = show_part(Window::Destination, run_at(to, first, pages), part);
    if (from_aperture || to_aperture) {
      waits_.for_paging();
      if (waits_.abandoned()) return nullptr;
      // It runs on the first GPU of a link.
      if (!spaces_.leads_into_apertures(kSystemProcess, 0)) return kNoWayIn;
    }
    const auto operation =
        virtual_transfer_of(scene_, part, pages * kPageSize, source.at, destination.at, direction);
    if (to_aperture) operation->record.destination_segment = to.segment.value;
    operation->record.page = to.page + first;
    operation->record.pages = pages;
    operation->blame.segment = to.segment;
    operation->blame.page = to.page + first;
    operation->blame.pages = pages;
    operation->effect =
        TransferEffect{from.segment, from.page + first, to.segment, to.page + first, pages};
    queue_transfer(operation, source, destination);
    if (waits_.abandoned()) return nullptr;
  }
  return nullptr;
}

}  // namespace wddm::host
