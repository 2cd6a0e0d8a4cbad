#include "conformance/host/gpuva/virtual_memory.h"

#include <algorithm>
#include <utility>

namespace wddm::host {
namespace {

// Pages of a window.
constexpr std::uint32_t kWindow = 16;
constexpr std::uint64_t kWindowBytes = kWindow * kPageSize;
// The first 4 KB are invalid (VPAGE-010); windows are apart by more than their size.
constexpr gpummu::GpuVirtualAddress kSource{2 * kWindowBytes};
constexpr gpummu::GpuVirtualAddress kDestination{4 * kWindowBytes};
constexpr gpummu::VaRange kPagingBuffers{{8 * kWindowBytes}, 2 * kWindowBytes};
constexpr gpummu::VaRange kWindows{kSource, kPagingBuffers.end() - kSource.value};
// Null and what is near it is nobody's.
constexpr std::uint64_t kFirstAddress = 0x10000;

// The last part carries the step to its end.
PagingEffect part_of(const vidmm::PagingStep& step, std::uint32_t first, std::uint32_t pages) {
  if (first + pages == step.pages) return StepEffect{step};
  return PartEffect{step, first, pages};
}

std::uint64_t up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

const char* VirtualMemory::begin() {
  active_ = false;
  addresses_.fill({});
  next_address_ = kFirstAddress;
  next_commands_ = 0;
  commands_.clear();
  if (const char* const why = spaces_.open(kSystemProcess)) return why;
  active_ = spaces_.step(kSystemProcess, gpummu::KeepTables{kWindows});
  if (!active_) return "there is no memory for the paging process's page tables";
  map_paging_buffers();
  spaces_.paging_process_started();
  for (const ContextId context : kSystemContexts) {
    if (scene_.objects.context(context).live) add_context(context);
  }
  return nullptr;
}

void VirtualMemory::end() {
  spaces_.close_all();
  windows_.end();
  active_ = false;
}

void VirtualMemory::map_paging_buffers() {
  const std::uint32_t bytes =
      std::min<std::uint32_t>(std::max(adapter_.paging_buffer_bytes(), 1u), kPagingBuffers.bytes);
  windows_.begin(kPagingBuffers, bytes);
  Runs pages;
  for (const PagingWindows::Window& window : windows_.lowest_first()) {
    pages.push_back({{.offset = window.memory.physical_address()}, up(bytes, kPageSize)});
  }
  show(kPagingBuffers.first, pages, {});
}

const char* VirtualMemory::need_space(ProcessId process) {
  return spaces_.has(process) ? nullptr : spaces_.open(process);
}

const char* VirtualMemory::add_context(ContextId context) {
  if (!scene_.objects.context(context).live) return "there is no such context";
  const ProcessId process = process_of(context);
  if (const char* const why = need_space(process)) return why;
  spaces_.step(process, gpummu::AddContext{context});
  return nullptr;
}

void VirtualMemory::remove_context(ContextId context) {
  const ProcessId process = process_of(context);
  if (spaces_.has(process)) spaces_.step(process, gpummu::RemoveContext{context});
}

ProcessId VirtualMemory::process_of(ContextId context) const {
  return scene_.objects.device(scene_.objects.context(context).device).process;
}

ProcessId VirtualMemory::process_of(AllocationId allocation) const {
  return scene_.objects.device(scene_.objects.allocation(allocation).device).process;
}

// -- addresses

std::uint64_t VirtualMemory::usable_bytes() const {
  const gpummu::Geometry& geometry = *adapter_.gpummu()->geometry;
  if (!geometry.root_is_resizable()) return geometry.space_bytes();
  return std::min(geometry.space_bytes(),
                  kRootEntries * geometry.entry_bytes(geometry.root_level()));
}

gpummu::GpuVirtualAddress VirtualMemory::address_of(AllocationId allocation) {
  gpummu::GpuVirtualAddress& address = addresses_[allocation];
  if (address.value != 0 || !adapter_.gpummu() || !adapter_.gpummu()->geometry) return address;
  const std::uint64_t limit = usable_bytes() / 4 * 3;
  const std::uint64_t bytes = up(scene_.objects.allocation(allocation).bytes, gpummu::kPageSize64K);
  if (bytes > limit || next_address_ > limit - bytes) return address;
  address.value = next_address_;
  next_address_ += bytes;
  return address;
}

void VirtualMemory::forget(AllocationId allocation) {
  lead_nowhere(allocation);
  addresses_[allocation] = {};
}

gpummu::GpuVirtualAddress VirtualMemory::address_for_commands(std::uint64_t bytes) {
  const std::uint64_t space = usable_bytes();
  const std::uint64_t first = space / 4 * 3;
  bytes = std::min(up(bytes, gpummu::kPageSize64K), space / 4);
  if (next_commands_ < first || bytes > space - next_commands_) next_commands_ = first;
  const gpummu::GpuVirtualAddress address{next_commands_};
  next_commands_ += bytes;
  return address;
}

void VirtualMemory::map_commands(RenderBuffer& buffer) {
  unmap_ended_commands();
  const ProcessId process = process_of(buffer.context);
  const gpummu::VaRange range{buffer.address, up(buffer.dma.size(), kPageSize)};
  const Runs pages = {{{.offset = buffer.dma.physical_address()}, range.bytes}};
  if (!spaces_.has(process)) return;
  spaces_.step(process, gpummu::Map{.range = range, .pages = pages, .protection = {}});
  buffer.mapping = std::make_shared<char>();
  commands_.push_back({process, range, buffer.mapping});
}

void VirtualMemory::unmap_ended_commands() {
  std::erase_if(commands_, [this](const MappedCommands& mapped) {
    if (!mapped.in_use.expired()) return false;
    if (spaces_.has(mapped.process)) {
      spaces_.step(mapped.process, gpummu::Unmap{.range = mapped.range});
    }
    return true;
  });
}

// -- paging

VirtualMemory::Runs VirtualMemory::in_segment(const vidmm::PagingStep& step, std::uint32_t first,
                                              std::uint32_t pages) const {
  return {
      {{.offset = (step.page + first) * kPageSize, .segment = step.segment}, pages * kPageSize}};
}

VirtualMemory::Runs VirtualMemory::in_system(AllocationId allocation, std::uint32_t first,
                                             std::uint32_t pages) const {
  Runs runs;
  const auto& frames = scene_.objects.allocation(allocation).frames;
  for (std::uint32_t i = 0; i < pages; ++i) {
    runs.push_back({{.offset = frames[first + i] * kPageSize}, kPageSize});
  }
  return runs;
}

void VirtualMemory::show(gpummu::GpuVirtualAddress window, const Runs& pages,
                         const Mapped& mapped) {
  std::uint64_t bytes = 0;
  for (const gpummu::PageRun& run : pages) bytes += run.bytes;
  spaces_.step(kSystemProcess,
               gpummu::Map{.range = {window, bytes}, .pages = pages, .protection = {}}, mapped);
}

void VirtualMemory::lead_to(AllocationId allocation, const Runs& pages) {
  const gpummu::GpuVirtualAddress address = address_of(allocation);
  if (address.value == 0 || need_space(process_of(allocation)) != nullptr) return;
  const std::uint64_t bytes = scene_.objects.allocation(allocation).bytes;
  spaces_.step(process_of(allocation),
               gpummu::Map{.range = {address, bytes},
                           .pages = pages,
                           .protection = {},
                           .use_64kb_pages = in_64kb_pages(pages)},
               {.allocation = allocation});
}

// Whole pages of a segment that is managed in them (PGSZ-003).
bool VirtualMemory::in_64kb_pages(const Runs& pages) const {
  return std::all_of(pages.begin(), pages.end(), [this](const gpummu::PageRun& run) {
    const SegmentId segment = run.first.segment;
    return segment != kNoSegment && adapter_.segment(segment).flags.Use64KBPages != 0 &&
           run.first.offset % gpummu::kPageSize64K == 0 && run.bytes % gpummu::kPageSize64K == 0;
  });
}

void VirtualMemory::lead_nowhere(AllocationId allocation) {
  const gpummu::GpuVirtualAddress address = addresses_[allocation];
  if (address.value == 0 || !spaces_.has(process_of(allocation))) return;
  spaces_.step(process_of(allocation),
               gpummu::Unmap{.range = {address, scene_.objects.allocation(allocation).bytes}},
               {.allocation = allocation});
}

// One that moves has come to its new place by then.
void VirtualMemory::leave(const vidmm::PagingStep& step) {
  waits_.for_earlier_work();
  const PlaceInSegment now = scene_.residency.planned(step.allocation);
  if (now == PlaceInSegment{step.segment, step.page}) lead_nowhere(step.allocation);
}

void VirtualMemory::fill(const vidmm::PagingStep& step) {
  for (std::uint32_t first = 0; first < step.pages; first += kWindow) {
    const std::uint32_t pages = std::min(kWindow, step.pages - first);
    const Mapped part{step.allocation, first * kPageSize};
    waits_.for_earlier_work();
    show(kDestination, in_segment(step, first, pages), part);
    const auto operation = virtual_fill_of(scene_, part, pages * kPageSize, 0, kDestination);
    operation->effect = part_of(step, first, pages);
    queue_.queue(operation);
    if (waits_.abandoned()) return;
  }
}

void VirtualMemory::move_contents(const vidmm::PagingStep& step) {
  const bool in = step.kind == vidmm::StepKind::TransferIn;
  for (std::uint32_t first = 0; first < step.pages; first += kWindow) {
    const std::uint32_t pages = std::min(kWindow, step.pages - first);
    const Mapped part{step.allocation, first * kPageSize};
    waits_.for_earlier_work();
    Runs local = in_segment(step, first, pages);
    Runs system = in_system(step.allocation, first, pages);
    show(kSource, in ? system : local, part);
    show(kDestination, in ? local : system, part);
    const auto operation =
        virtual_transfer_of(scene_, part, pages * kPageSize, kSource, kDestination,
                            in ? Direction::ToLocal : Direction::ToSystem);
    operation->effect = part_of(step, first, pages);
    queue_.queue(operation);
    if (waits_.abandoned()) return;
  }
}

void VirtualMemory::carry_out(const vidmm::PagingStep& step) {
  switch (step.kind) {
    case vidmm::StepKind::Fill:
      fill(step);
      waits_.for_earlier_work();
      return lead_to(step.allocation, in_segment(step, 0, step.pages));
    case vidmm::StepKind::TransferIn:
      move_contents(step);
      waits_.for_earlier_work();
      return lead_to(step.allocation, in_segment(step, 0, step.pages));
    case vidmm::StepKind::TransferOut:
      leave(step);
      return move_contents(step);
    case vidmm::StepKind::Discard:
      leave(step);
      return queue_.take_effect(StepEffect{step});
    case vidmm::StepKind::MapAperture:
      lead_to(step.allocation, in_system(step.allocation, 0, step.pages));
      return queue_.take_effect(StepEffect{step});
    case vidmm::StepKind::UnmapAperture:
      leave(step);
      return queue_.take_effect(StepEffect{step});
  }
}

}  // namespace wddm::host
