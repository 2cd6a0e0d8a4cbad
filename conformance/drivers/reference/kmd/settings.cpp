#include "settings.h"

#include "kmd_addressing.h"
#include "segment_layout.h"

namespace reference_kmd {

namespace {

ULONG within(ULONG value, ULONG least, ULONG most) {
  return value < least ? least : value > most ? most : value;
}

}  // namespace

HANDLE open_key(PUNICODE_STRING path) {
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, path, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE, nullptr,
                             nullptr);
  HANDLE key = nullptr;
  return NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes)) ? key : nullptr;
}

void read_dword(HANDLE key, PCWSTR name, ULONG* value) {
  UNICODE_STRING text;
  RtlInitUnicodeString(&text, name);
  union {
    KEY_VALUE_PARTIAL_INFORMATION information;
    UCHAR room[sizeof(KEY_VALUE_PARTIAL_INFORMATION) + sizeof(ULONG)];
  } buffer;
  ULONG length = 0;
  const NTSTATUS status =
      ZwQueryValueKey(key, &text, KeyValuePartialInformation, &buffer, sizeof buffer, &length);
  if (!NT_SUCCESS(status) || buffer.information.Type != REG_DWORD ||
      buffer.information.DataLength != sizeof(ULONG)) {
    return;
  }
  RtlCopyMemory(value, buffer.information.Data, sizeof(ULONG));
}

void Settings::read(PUNICODE_STRING key_path, ULONG index) {
  PAGED_CODE();
  HANDLE key = open_key(key_path);
  if (key == nullptr) return;
  read_dword(key, L"PreemptionAware", &preemption_aware);
  read_dword(key, L"NoDmaPatching", &no_dma_patching);
  read_dword(key, L"LocalSegmentPages", &local_segment_pages);
  read_dword(key, L"ApertureSegmentPages", &aperture_segment_pages);
  read_dword(key, L"DmaBufferSize", &dma_buffer_size);
  read_dword(key, L"PagingBufferSize", &paging_buffer_size);
  read_dword(key, L"PatchLocationListSize", &patch_location_list_size);
  read_dword(key, L"AllocationListSize", &allocation_list_size);
  read_dword(key, L"DmaBuffersInAperture", &dma_buffers_in_aperture);
  read_dword(key, L"PagingBuffersInAperture", &paging_buffers_in_aperture);
  read_dword(key, L"PagingNode", &paging_node);
  read_dword(key, L"PagingPrivateData", &paging_private_data);
  read_dword(key, L"CommandPadding", &command_padding);
  read_dword(key, L"AllocationAlignment", &allocation_alignment);
  read_dword(key, L"SlotCount", &slot_count);
  read_dword(key, L"AddressableBits", &addressable_bits);
  read_dword(key, L"PowerComponents", &power_components);
  read_dword(key, L"VideoSources", &video_sources);
  read_dword(key, L"GuaranteedContract", &guaranteed_contract);
  read_dword(key, L"AlternateView", &alternate_view);
  read_dword(key, L"Swizzled", &swizzled);
  read_dword(key, L"PageTableLevels", &page_table_levels);
  read_dword(key, L"PageTableUpdateMode", &page_table_update_mode);
  read_dword(key, L"PageTableSegment", &page_table_segment);
  read_dword(key, L"PageSize64K", &page_size_64k);
  read_dword(key, L"DualPte", &dual_pte);
  read_dword(key, L"LargePages", &large_pages);
  read_dword(key, L"InvalidTlbEntriesCached", &invalid_tlb_entries_cached);
  read_dword(key, L"UpdatesNeedIdle", &updates_need_idle);
  read_dword(key, L"ExplicitInvalidation", &explicit_invalidation);
  read_dword(key, L"CpuHostAperture", &cpu_host_aperture);
  read_dword(key, L"NotifyResidency", &notify_residency);
  read_dword(key, L"ReservedRanges", &reserved_ranges);
  read_dword(key, L"AccessedPhysically", &accessed_physically);
  read_dword(key, L"PagingTableSegment", &paging_table_segment);
  read_dword(key, L"ContextAllocations", &context_allocations);
  read_dword(key, L"IoMmu", &io_mmu);
  read_dword(key, L"IndexBits", &index_bits);
  read_dword(key, L"HighSegment", &high_segment);
  read_dword(key, L"EngineResets", &engine_resets);
  ZwClose(key);

  const bool spare = segment_layout() == SegmentLayout::ApertureFirst;
  local_segment_pages = within(local_segment_pages, 1, spare ? kLocalBesideSpare : HW_LOCAL_PAGES);
  aperture_segment_pages = within(aperture_segment_pages, 1, HW_APERTURE_PAGES);
  paging_private_data = within(paging_private_data, 0, 4096);
  command_padding = within(command_padding, 0, kMostPadding);
  allocation_alignment = within(allocation_alignment, 1, 64);
  slot_count = within(slot_count, 2, HW_SLOT_COUNT);
  addressable_bits = within(addressable_bits, 20, 64);
  power_components = manages_power() ? power_components : 0;
  if (is_wddm_2()) alternate_view = swizzled = 0;
  video_sources = computes_only() ? 0 : within(max(video_sources, alternate_view), 0, 1);
  // A buffer must hold the state of all slots and one command, a list all slots.
  dma_buffer_size = within(dma_buffer_size, 512, 1u << 20);
  paging_buffer_size =
      within(paging_buffer_size, 64 + 2 * command_padding * sizeof(ULONG), 1u << 20);
  patch_location_list_size = within(patch_location_list_size, HW_SLOT_COUNT, 1u << 16);
  allocation_list_size = within(allocation_list_size, 2, 1u << 16);
  paging_node = within(paging_node, 0, HW_NODE_COUNT - 1);
  // NoDmaPatching builds on preemption; without it the adapter would not start.
  if (computes_only()) preemption_aware = 1;
  if (preemption_aware == 0 || computes_only()) no_dma_patching = 0;
  reserved_ranges = within(reserved_ranges, 0, 16);
  if (io_mmu_alone()) reserved_ranges = 0;
  if (!uses_gpu_virtual_addresses()) {
    cpu_host_aperture = 0;
    notify_residency = 0;
    reserved_ranges = 0;
    accessed_physically = 0;
    context_allocations = 0;
    io_mmu = 0;
  }
  context_allocations = within(context_allocations, 0, 2);
  if (high_segment != 0) cpu_host_aperture = 0;  // there is one third segment
  if (io_mmu == 3) io_mmu = index == 0 ? 0 : 1;
  // GPUs of a link may differ: only the first has that memory.
  if (index != 0) high_segment = 0;
  limit_page_tables();
  // Both need MultiEngineAware.
  if (!has_contexts()) preemption_aware = no_dma_patching = 0;
  if (has_contexts()) guaranteed_contract = 0;
}

void Settings::limit_page_tables() {
  page_table_levels = within(page_table_levels, 2, HW_MMU_MAX_LEVELS);
  page_table_update_mode = within(page_table_update_mode, 0, DXGK_PAGETABLEUPDATE_GPU_PHYSICAL);
  if (!uses_gpu_virtual_addresses()) high_segment = 0;
  if (high_segment == 0 || page_table_segment != UMD_SEGMENT_HIGH) {
    page_table_segment = within(page_table_segment, 0, UMD_SEGMENT_LOCAL);
  }
  if (segment_layout() == SegmentLayout::ApertureOnly) {
    page_table_segment = paging_table_segment = 0;
    high_segment = cpu_host_aperture = notify_residency = context_allocations = page_size_64k = 0;
  }
  index_bits = within(index_bits, 5, 9);
  // The CPU writes the tables of the paging process at its start: it must see them. Tables of 64 KB
  // are larger than the window.
  const bool behind_window =
      cpu_host_aperture != 0 && paging_table_segment == UMD_SEGMENT_HIGH && page_size_64k == 0;
  // Page directories in video memory are not for the CPU to write.
  if (page_table_update_mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) page_table_segment = 0;
  if (!behind_window && paging_table_segment > UMD_SEGMENT_LOCAL) {
    paging_table_segment =
        page_table_segment == UMD_SEGMENT_HIGH ? UMD_SEGMENT_LOCAL : page_table_segment;
  }
  if (!uses_gpu_virtual_addresses()) page_size_64k = 0;
  if (page_size_64k != 0) {
    constexpr ULONG kPages = kLargePageSize / PAGE_SIZE;
    local_segment_pages = max(kPages, local_segment_pages / kPages * kPages);
  }
}

}  // namespace reference_kmd
