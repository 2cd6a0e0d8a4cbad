#include "conformance/host/gpuva/tables/page_table_operations.h"

#include <algorithm>

namespace wddm::host {
namespace {

PagingOperationPtr start(DXGK_BUILDPAGINGBUFFER_OPERATION operation, AllocationId id) {
  auto made = std::make_shared<PagingOperation>();
  made->args.Operation = operation;
  made->allocation = id;
  made->blame = {.cause = MemoryCause::Paging,
                 .operation = static_cast<std::uint32_t>(operation),
                 .allocation = id};
  made->effect = NoEffect{};
  return made;
}

// Page tables and what else has no handle are linear memory (PT-001).
HANDLE driver_handle(const PagingScene& scene, AllocationId id) {
  return id == kNoAllocation ? nullptr : scene.objects.allocation(id).driver;
}

// Kernel-mode testing has drivers do without.
HANDLE handle_for_contents(const PagingScene& scene, AllocationId allocation) {
  return scene.objects.names_in_paging() ? driver_handle(scene, allocation) : nullptr;
}

DXGK_PAGETABLEUPDATEADDRESS address_for(gpummu::PageTableUpdateMode mode, const NamedTable& table) {
  DXGK_PAGETABLEUPDATEADDRESS address{};
  switch (mode) {
    case gpummu::PageTableUpdateMode::CpuVirtual:
      address.CpuVirtual = table.cpu;
      break;
    case gpummu::PageTableUpdateMode::GpuPhysical:
      address.GpuPhysical = physical(table.address);
      break;
    case gpummu::PageTableUpdateMode::GpuVirtual:
      address.GpuVirtual = table.gpu.value;
      break;
  }
  return address;
}

DXGK_MEMORY_TRANSFER_DIRECTION direction_of(Direction direction) {
  switch (direction) {
    case Direction::ToSystem:
      return DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM;
    case Direction::ToLocal:
      return DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL;
    case Direction::WithinLocal:
      return DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL;
  }
  return DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL;
}

DXGK_BUILDPAGINGBUFFER_COPY_RANGE range_of(const EntriesCopy& copy) {
  DXGK_BUILDPAGINGBUFFER_COPY_RANGE range{};
  range.NumPageTableEntries = copy.count;
  range.SrcPageTableAddress = copy.source.value;
  range.DstPageTableAddress = copy.destination.value;
  range.SrcStartPteIndex = copy.source_first;
  range.DstStartPteIndex = copy.destination_first;
  return range;
}

// The list as a driver gets it: for who reads more than there is, behind its end stands one element
// that is none of it, and behind one that is repeated one for each entry that it is written to.
std::vector<DXGK_PTE> list_of(std::span<const gpummu::Entry> entries, std::uint32_t count) {
  std::vector<DXGK_PTE> list;
  for (const gpummu::Entry& entry : entries) list.push_back(pte_of(entry));
  if (list.empty()) return list;
  DXGK_PTE behind{};
  if (!list.back().Valid) {
    behind.Valid = 1;
    behind.PageAddress = 1;
  }
  list.resize(std::max<std::size_t>(list.size(), count) + 1, behind);
  return list;
}

}  // namespace

D3DGPU_PHYSICAL_ADDRESS physical(const gpummu::PhysicalAddress& place) {
  D3DGPU_PHYSICAL_ADDRESS address{};
  address.SegmentId = place.segment.value;
  address.SegmentOffset = place.offset;
  return address;
}

DXGK_PTE pte_of(const gpummu::Entry& entry) {
  DXGK_PTE pte{};
  pte.Valid = entry.valid;
  pte.Zero = entry.zero;
  pte.CacheCoherent = entry.cache_coherent;
  pte.ReadOnly = entry.read_only;
  pte.NoExecute = entry.no_execute;
  pte.Segment = entry.segment.value & 31;
  pte.LargePage = entry.large_page;
  pte.PhysicalAdapterIndex = entry.adapter.value & 63;
  pte.PageTablePageSize = static_cast<unsigned>(entry.page_table_page_size) & 3;
  pte.PageAddress = entry.address / kPageSize;
  return pte;
}

DXGK_UPDATEPAGETABLEFLAGS flags_of(const gpummu::UpdateEntries& update) {
  DXGK_UPDATEPAGETABLEFLAGS flags{};
  flags.Repeat = update.repeat;
  flags.InitialUpdate = update.initial;
  flags.NotifyEviction = update.notify_eviction;
  flags.Use64KBPages = update.page_size == gpummu::PageTablePageSize::Page64K;
  return flags;
}

PagingOperationPtr table_update_of(const PagingScene& scene, HANDLE process,
                                   const NamedTable& table, const gpummu::UpdateEntries& update,
                                   gpummu::PageTableUpdateMode mode,
                                   std::span<const gpummu::Entry> entries,
                                   std::span<const gpummu::Entry> entries_64kb,
                                   const Mapped& mapped) {
  auto made = start(DXGK_OPERATION_UPDATE_PAGE_TABLE, mapped.allocation);
  made->entries = list_of(entries, update.count);
  made->entries_64kb = list_of(entries_64kb, update.count);
  auto& args = made->args.UpdatePageTable;
  args.PageTableLevel = update.level;
  args.hAllocation = driver_handle(scene, mapped.allocation);
  args.PageTableAddress = address_for(mode, table);
  args.pPageTableEntries = made->entries.data();
  args.StartIndex = update.first;
  args.NumPageTableEntries = update.count;
  args.Flags = flags_of(update);
  args.DriverProtection = update.driver_protection;
  args.AllocationOffsetInBytes = mapped.offset;
  args.hProcess = process;
  args.UpdateMode = static_cast<DXGK_PAGETABLEUPDATEMODE>(mode);
  args.pPageTableEntries64KB = made->entries_64kb.empty() ? nullptr : made->entries_64kb.data();
  args.FirstPteVirtualAddress = update.first_va.value;
  made->record = {.offset = static_cast<std::uint32_t>(mapped.offset),
                  .page = update.first,
                  .pages = update.count};
  return made;
}

PagingOperationPtr residency_notice_of(const PagingScene& scene, AllocationId id, bool resident,
                                       const gpummu::PhysicalAddress& place) {
  auto made = context_notice_of(driver_handle(scene, id), resident, place);
  made->allocation = made->blame.allocation = id;
  return made;
}

PagingOperationPtr context_notice_of(HANDLE allocation, bool resident,
                                     const gpummu::PhysicalAddress& place) {
  auto made = start(DXGK_OPERATION_NOTIFY_RESIDENCY, kNoAllocation);
  auto& args = made->args.NotifyResidency;
  args.hAllocation = allocation;
  args.PhysicalAddress = physical(place);
  args.Resident = resident;
  made->record = {.destination_address = place.offset,
                  .destination_segment = place.segment.value,
                  .pages = resident ? 1u : 0u};
  return made;
}

PagingOperationPtr context_init_of(HANDLE allocation, SegmentId segment, std::uint64_t address,
                                   gpummu::GpuVirtualAddress at, std::uint64_t bytes) {
  auto made = start(DXGK_OPERATION_INIT_CONTEXT_RESOURCE, kNoAllocation);
  auto& args = made->args.InitContextResource;
  args.hAllocation = allocation;
  args.Destination.SegmentId = segment.value;
  args.Destination.SegmentAddress.QuadPart = static_cast<LONGLONG>(address);
  args.Destination.GpuVirtualAddress = at.value;
  made->record = {
      .size = bytes, .destination_address = at.value, .destination_segment = segment.value};
  return made;
}

PagingOperationPtr context_init_of(HANDLE allocation, std::span<const memory::Frame> frames,
                                   gpummu::GpuVirtualAddress at, std::uint64_t bytes) {
  auto made = context_init_of(allocation, kNoSegment, 0, at, bytes);
  made->mdl = std::make_unique<nt::MdlOverFrames>(frames, frames.size() * kPageSize, 0);
  made->args.InitContextResource.Destination.pMdl = made->mdl->get();
  return made;
}

PagingOperationPtr context_update_of(gpummu::GpuVirtualAddress at, std::uint64_t bytes,
                                     void* private_data, std::uint32_t private_bytes) {
  auto made = start(DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION, kNoAllocation);
  auto& args = made->args.UpdateContextAllocation;
  args.ContextAllocation = at.value;
  args.ContextAllocationSize = bytes;
  args.pDriverPrivateData = private_data;
  args.DriverPrivateDataSize = private_bytes;
  made->record = {.size = bytes, .destination_address = at.value};
  return made;
}

PagingOperationPtr tlb_flush_of(HANDLE process, const gpummu::PhysicalAddress& root,
                                const gpummu::VaRange& range) {
  auto made = start(DXGK_OPERATION_FLUSH_TLB, kNoAllocation);
  auto& args = made->args.FlushTlb;
  args.RootPageTableAddress = physical(root);
  args.hProcess = process;
  args.StartVirtualAddress = range.bytes == 0 ? 0 : range.first.value;
  args.EndVirtualAddress = range.bytes == 0 ? 0 : range.end();
  made->record = {.size = range.bytes, .destination_address = range.first.value};
  return made;
}

PagingOperationPtr entries_copy_of(std::span<const EntriesCopy> copies, const EntriesCopy& behind) {
  auto made = start(DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES, kNoAllocation);
  std::uint32_t count = 0;
  for (const EntriesCopy& copy : copies) {
    made->copy_ranges.push_back(range_of(copy));
    count += copy.count;
  }
  made->copy_ranges.push_back(range_of(behind));
  made->args.CopyPageTableEntries.NumRanges = static_cast<UINT>(copies.size());
  made->args.CopyPageTableEntries.pRanges = made->copy_ranges.data();
  made->record = {.source_address = copies.front().source.value,
                  .destination_address = copies.front().destination.value,
                  .page = copies.front().destination_first,
                  .pages = count};
  return made;
}

PagingOperationPtr virtual_fill_of(const PagingScene& scene, const Mapped& what,
                                   std::uint64_t bytes, std::uint32_t pattern,
                                   gpummu::GpuVirtualAddress at) {
  auto made = start(DXGK_OPERATION_VIRTUAL_FILL, what.allocation);
  auto& args = made->args.FillVirtual;
  args.hAllocation = handle_for_contents(scene, what.allocation);
  args.AllocationOffsetInBytes = what.offset;
  args.FillSizeInBytes = bytes;
  args.FillPattern = pattern;
  args.DestinationVirtualAddress = at.value;
  made->record = {.size = bytes,
                  .destination_address = at.value,
                  .offset = static_cast<std::uint32_t>(what.offset),
                  .pattern = pattern};
  return made;
}

PagingOperationPtr virtual_transfer_of(const PagingScene& scene, const Mapped& what,
                                       std::uint64_t bytes, gpummu::GpuVirtualAddress from,
                                       gpummu::GpuVirtualAddress to, Direction direction) {
  auto made = start(DXGK_OPERATION_VIRTUAL_TRANSFER, what.allocation);
  auto& args = made->args.TransferVirtual;
  args.hAllocation = handle_for_contents(scene, what.allocation);
  args.AllocationOffsetInBytes = what.offset;
  args.TransferSizeInBytes = bytes;
  args.SourceVirtualAddress = from.value;
  args.DestinationVirtualAddress = to.value;
  args.TransferDirection = direction_of(direction);
  made->record = {.size = bytes,
                  .source_address = from.value,
                  .destination_address = to.value,
                  .offset = static_cast<std::uint32_t>(what.offset),
                  .scattered = direction != Direction::WithinLocal && bytes > kPageSize};
  return made;
}

}  // namespace wddm::host
