// What can be set in the registry, read once at each start of the device.
//
// Values are REG_DWORDs of the key that DXGK_DEVICE_INFO::DeviceRegistryPath names. A missing value
// means the default, one out of range the nearest limit. "Addressing", "LinkedAdapters",
// "MapAperture2", "KernelModeTesting" and "ComputeOnly" are read by DriverEntry (kmd_addressing.h),
// and so is "SegmentLayout" (segment_layout.h); of "SurpriseRemoval" and "SecureMode" that is all.
#pragma once

#include "kmd_driver.h"

namespace reference_kmd {

/// Swizzling ranges that there are with Settings::alternate_view and Settings::swizzled, and how
/// much of the window to video memory each has.
constexpr UINT kSwizzlingRanges = 2;
constexpr ULONG kRangePages = HW_HOST_APERTURE_PAGES / kSwizzlingRanges;

struct Settings {
  ULONG preemption_aware = 1;
  ULONG no_dma_patching = 0;
  ULONG local_segment_pages = HW_LOCAL_PAGES;
  ULONG aperture_segment_pages = HW_APERTURE_PAGES;
  ULONG dma_buffer_size = 4 * PAGE_SIZE;
  ULONG paging_buffer_size = PAGE_SIZE;
  ULONG patch_location_list_size = 1024;
  ULONG allocation_list_size = 256;
  ULONG dma_buffers_in_aperture = 0;
  ULONG paging_buffers_in_aperture = 0;
  ULONG paging_node = HW_NODE_RENDER;
  ULONG paging_private_data = 0;   // bytes, which nothing is written to
  ULONG command_padding = 0;       // words of NOP before each command that the driver writes
  ULONG allocation_alignment = 1;  // pages
  ULONG slot_count = HW_SLOT_COUNT;
  ULONG addressable_bits = 64;    // of HighestAcceptableAddress
  ULONG power_components = 0;     // of a device that only computes
  ULONG guaranteed_contract = 0;  // of devices without contexts
  ULONG video_sources = 0;   // 1: a video present source is there, and nothing else of displays
  ULONG alternate_view = 0;  // there is a display, and the CPU may lock its primary
  ULONG swizzled = 0;        // what the CPU may lock in video memory is stored in tiles
  ULONG engine_resets = 1;   // 0: no engine can be reset alone while it has something to do

  // With GPU virtual addresses only.
  ULONG page_table_levels = 2;           // 2..HW_MMU_MAX_LEVELS
  ULONG page_table_update_mode = 0;      // DXGK_PAGETABLEUPDATEMODE
  ULONG page_table_segment = 1;          // 0 = system memory, as it always is in mode CPU_VIRTUAL
  ULONG index_bits = 9;                  // of a table of any level but the root: 5 to 9
  ULONG high_segment = 0;                // segment 3, which no CPU sees, is there
  ULONG page_size_64k = 0;               // segment 1 is managed in pages of 64 KB
  ULONG dual_pte = 0;                    // entries of level 1 are pairs
  ULONG large_pages = 0;                 // DXGK_GPUMMUCAPS::LargePageSupported
  ULONG invalid_tlb_entries_cached = 0;  // the TLB keeps invalid entries, and the caps say so
  ULONG updates_need_idle = 0;           // ... ::PageTableUpdateRequireAddressSpaceIdle
  ULONG explicit_invalidation = 0;       // ... ::ExplicitPageTableInvalidation
  ULONG cpu_host_aperture = 0;           // one more segment, which the CPU sees through a window
  ULONG notify_residency = 0;            // of allocations that live in segment 1
  ULONG accessed_physically = 0;         // allocations that may lie in the aperture are
  ULONG paging_table_segment = ~0u;      // of the paging process; ~0: one that the CPU sees
  ULONG reserved_ranges = 0;             // leaf tables' worth of addresses in each process
  ULONG context_allocations = 0;         // 1, 2: of images of contexts: local, aperture
  ULONG io_mmu = 0;                      // 1: of the copy engine; 2: of all; 3: as 1, not of a lead

  UINT swizzling_ranges() const {
    return alternate_view != 0 || swizzled != 0 ? kSwizzlingRanges : 0;
  }
  /// Those of the `index`th GPU of a link.
  void read(PUNICODE_STRING key_path, ULONG index);

 private:
  void limit_page_tables();
};

/// Of segments that are managed in them, and of the leaf tables for it.
constexpr ULONG kLargePageSize = 0x10000;

/// Video memory that SegmentLayout::ApertureFirst keeps for a segment of its own, at the end.
constexpr ULONG kSparePages = 8;
constexpr ULONG kLocalBesideSpare = HW_LOCAL_PAGES - kSparePages;
/// Words of NOP that can stand before a command.
constexpr ULONG kMostPadding = 32;

/// What the settings say of allocations in video memory.
struct AllocationRules {
  UINT local_segment;        // of those that the CPU need not see
  UINT local_page_size;      // bytes of the pages that local memory is managed in
  UINT alignment;            // bytes, at least
  bool notify_residency;     // of those that live in video memory, and then nowhere else
  bool accessed_physically;  // those that may lie in the aperture
  bool in_lists;             // all: from WDDM 2.0 on lists name no others
  bool alternate_view;       // primaries: UseAlternateVA
  bool swizzled;             // those in video memory that the CPU sees, and then nowhere else
};

/// Reads one REG_DWORD below `key`; `value` keeps what it holds if there is none.
void read_dword(HANDLE key, PCWSTR name, ULONG* value);
/// Opens a key for reading; null on failure. The caller closes it.
HANDLE open_key(PUNICODE_STRING path);

}  // namespace reference_kmd
