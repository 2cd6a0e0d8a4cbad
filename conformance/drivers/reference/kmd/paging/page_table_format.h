// The shape of this GPU's page tables: what the driver says of them, and its own form of an entry.
//
// Follows hw.h, "Page tables", on one side and DXGK_GPUMMUCAPS, DXGK_PAGE_TABLE_LEVEL_DESC and
// DXGK_PTE on the other. A table of any level fits in one page of 4 KB, but for the root of two
// levels outside of system memory, which grows with its address space.
#pragma once

#include "../kmd_driver.h"
#include "../settings.h"

namespace reference_kmd {

class Registers;

// Memory as the hardware names it.
struct HardwarePlace {
  ULONG space;  // HW_SPACE_GPU or HW_SPACE_SYSTEM
  ULONGLONG address;
};

class PageTableFormat {
 public:
  /// Takes what was read from the registry; of the `index`th GPU of a link.
  void configure(const Settings& settings, UINT index);
  /// After each reset, before a packet runs with virtual addresses.
  void program(Registers* registers) const;

  UINT levels() const { return levels_; }
  /// Words of 64 bits that one entry of a table of `level` has.
  UINT words_per_entry(UINT level) const { return dual_ && level == 1 ? 2 : 1; }
  /// The hardware's form of an entry, or of one half of a pair. Depends on its arguments only.
  ULONGLONG encode(const DXGK_PTE& entry, UINT level, UINT64 driver_protection) const;
  /// Bus address of the video memory of the other GPU of a link; 0: there is no link.
  ULONGLONG peer_memory() const { return peer_memory_; }
  void set_peer_memory(ULONGLONG bus_address) { peer_memory_ = bus_address; }
  /// `offset` bytes into a segment; segment 0 is system memory.
  HardwarePlace place_in(UINT segment, UINT64 offset) const;

  /// Bytes of address space that a leaf table covers.
  UINT leaf_coverage() const { return PAGE_SIZE << index_bits(0); }

  UINT address_bits() const;

  // What Dxgkrnl asks.
  void describe(DXGK_GPUMMUCAPS* caps) const;
  bool describe_level(UINT level, DXGK_PAGE_TABLE_LEVEL_DESC* description) const;
  /// Bytes of a root of two levels with room for `entries`, which becomes the number there is room
  /// for.
  SIZE_T root_size(UINT* entries) const;

 private:
  UINT index_bits(UINT level) const {
    return dual_ && level == 1 ? min(index_bits_, 8u) : index_bits_;
  }
  UINT table_granularity() const;

  UINT index_ = 0;
  ULONGLONG peer_memory_ = 0;
  UINT levels_ = 2;
  UINT segment_ = 0;  // of all tables but those of the paging process
  UINT paging_segment_ = 0;
  bool third_is_hidden_ = false;  // segment 3 is that behind the CPU host aperture
  UINT index_bits_ = 9;
  bool dual_ = false;
  bool large_segment_pages_ = false;  // video memory is managed in pages of 64 KB
  bool large_pages_ = false;
  bool keep_invalid_ = false;
  bool updates_need_idle_ = false;
  bool explicit_invalidation_ = false;
  DXGK_PAGETABLEUPDATEMODE update_mode_ = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
};

}  // namespace reference_kmd
