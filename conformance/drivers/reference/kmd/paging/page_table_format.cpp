#include "page_table_format.h"

#include "../registers.h"
#include "../segment_layout.h"

namespace reference_kmd {

namespace {

// A root of two levels in video memory indexes what 9 bits for the leaf and 12 for the page leave.
constexpr UINT kTwoLevelAddressBits = 32;

}  // namespace

void PageTableFormat::configure(const Settings& settings, UINT index) {
  index_ = index;
  levels_ = settings.page_table_levels;
  segment_ = settings.page_table_segment;
  paging_segment_ = settings.paging_table_segment;
  third_is_hidden_ = settings.high_segment == 0;
  index_bits_ = settings.index_bits;
  dual_ = settings.dual_pte != 0;
  large_segment_pages_ = settings.page_size_64k != 0;
  large_pages_ = settings.large_pages != 0;
  keep_invalid_ = settings.invalid_tlb_entries_cached != 0;
  updates_need_idle_ = settings.updates_need_idle != 0;
  explicit_invalidation_ = settings.explicit_invalidation != 0;
  update_mode_ = static_cast<DXGK_PAGETABLEUPDATEMODE>(settings.page_table_update_mode);
}

void PageTableFormat::program(Registers* registers) const {
  registers->write(HW_REG_MMU_LEVELS, levels_);
  registers->write(HW_REG_MMU_FLAGS,
                   (dual_ ? HW_MMU_DUAL : 0) | (keep_invalid_ ? HW_MMU_KEEP_INVALID : 0));
  for (UINT level = 0; level < levels_; ++level) {
    registers->write(HW_REG_MMU_INDEX_BITS(level), index_bits(level));
  }
  registers->write(HW_REG_TLB_FLUSH, 0);
}

// The union names a page or a table; it is a page frame number in either case.
ULONGLONG PageTableFormat::encode(const DXGK_PTE& entry, UINT level,
                                  UINT64 driver_protection) const {
  if (!entry.Valid) return 0;
  const HardwarePlace place =
      place_in(static_cast<UINT>(entry.Segment), entry.PageAddress << PAGE_SHIFT);
  ULONGLONG word = HW_PTE_VALID | (place.address & HW_PTE_ADDRESS_MASK);
  if (place.space == HW_SPACE_SYSTEM) word |= HW_PTE_SYSTEM;
  // Tables are the GPU's own; of pages the entry says whose they are.
  const bool page = level == 0 || entry.LargePage;
  if (page && !entry.Zero && entry.Segment != 0 && entry.PhysicalAdapterIndex != index_) {
    word |= HW_PTE_PEER;
  }
  if (entry.Zero) word |= HW_PTE_ZERO;
  if (entry.CacheCoherent) word |= HW_PTE_COHERENT;
  if (entry.ReadOnly) word |= HW_PTE_READ_ONLY;
  if (entry.NoExecute) word |= HW_PTE_NO_EXECUTE;
  if (level > 0 && entry.LargePage) word |= HW_PTE_LARGE;
  if (level == 1 && !dual_ && entry.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB) {
    word |= HW_PTE_LEAF_64KB;
  }
  if (level == 0) word |= (driver_protection & HW_PTE_DRIVER_MASK) << HW_PTE_DRIVER_SHIFT;
  return word;
}

HardwarePlace PageTableFormat::place_in(UINT segment, UINT64 offset) const {
  switch (segment_role(segment)) {
    case 0:
      return {HW_SPACE_SYSTEM, offset};
    case UMD_SEGMENT_LOCAL:
      return {HW_SPACE_GPU, HW_LOCAL_BASE + offset};
    case UMD_SEGMENT_SPARE:
      return {HW_SPACE_GPU,
              HW_LOCAL_BASE + static_cast<ULONGLONG>(kLocalBesideSpare) * PAGE_SIZE + offset};
    case UMD_SEGMENT_HIGH:
      return {HW_SPACE_GPU, (third_is_hidden_ ? HW_HIDDEN_BASE : HW_HIGH_BASE) + offset};
    default:
      return {HW_SPACE_GPU, HW_APERTURE_BASE + offset};
  }
}

UINT PageTableFormat::address_bits() const {
  if (levels_ == 2 && segment_ != 0) return kTwoLevelAddressBits;
  UINT bits = PAGE_SHIFT;
  for (UINT level = 0; level < levels_; ++level) bits += index_bits(level);
  return bits;
}

void PageTableFormat::describe(DXGK_GPUMMUCAPS* caps) const {
  RtlZeroMemory(caps, sizeof *caps);
  caps->ReadOnlyMemorySupported = TRUE;
  caps->NoExecuteMemorySupported = TRUE;
  caps->ZeroInPteSupported = TRUE;
  caps->ExplicitPageTableInvalidation = explicit_invalidation_;
  caps->CacheCoherentMemorySupported = TRUE;
  caps->PageTableUpdateRequireAddressSpaceIdle = updates_need_idle_;
  caps->LargePageSupported = large_pages_;
  caps->DualPteSupported = dual_;
  caps->InvalidTlbEntriesNotCached = !keep_invalid_;
  caps->PageTableUpdateMode = update_mode_;
  caps->VirtualAddressBitCount = address_bits();
  // 32 entries of 64 KB beside 512 of 4 KB: less than a page.
  caps->LeafPageTableSizeFor64KPagesInBytes =
      large_segment_pages_ || dual_ ? table_granularity() : 0;
  caps->PageTableLevelCount = levels_;
}

bool PageTableFormat::describe_level(UINT level, DXGK_PAGE_TABLE_LEVEL_DESC* description) const {
  if (level >= levels_) return false;
  RtlZeroMemory(description, sizeof *description);
  description->PageTableIndexBitCount = index_bits(level);
  // Leaves lie where the CPU sees them.
  const UINT seen = segment_ == UMD_SEGMENT_HIGH ? UMD_SEGMENT_LOCAL : segment_;
  description->PageTableSegmentId = segment_id(level == 0 ? seen : segment_);
  description->PagingProcessPageTableSegmentId = segment_id(paging_segment_);
  description->PageTableSizeInBytes = table_granularity();
  description->PageTableAlignmentInBytes = table_granularity();
  return true;
}

// What VidMm can give a table of its own.
UINT PageTableFormat::table_granularity() const {
  return segment_ != 0 && large_segment_pages_ ? kLargePageSize : PAGE_SIZE;
}

SIZE_T PageTableFormat::root_size(UINT* entries) const {
  const UINT entry = words_per_entry(1) * sizeof(ULONGLONG);
  const SIZE_T page = table_granularity();
  const SIZE_T wanted = static_cast<SIZE_T>(max(*entries, 1u)) * entry;
  const SIZE_T bytes = (wanted + page - 1) / page * page;
  *entries = static_cast<UINT>(bytes / entry);
  return bytes;
}

}  // namespace reference_kmd
