// The shape of a GPU's page tables: from what a driver reported to a checked Geometry.
//
// Sources: gpu-virtual-address.md, DXGK_GPUMMUCAPS, DXGK_PAGE_TABLE_LEVEL_DESC,
// support-for-64kb-pages.md, linked-display-adapter.md; clauses MMU-001, -004, -005, -007..010,
// PGSZ-007, LDA-001, ROOT-002, ROOT-003. Level 0 is the leaf, the highest level is the root.
// Leaves out: what a hardware entry looks like and how many bytes it has, which only the driver
// knows; that answers repeat, and which WDDM version a cap belongs to (rules compare answers).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reference/gpummu/address.h"
#include "reference/gpummu/caps.h"

namespace wddm::gpummu {

/// What is wrong with a report. `level`, `value` and `limit` of Defect are said for each.
enum class DefectKind : std::uint8_t {
  LevelCount,             ///< value not in [2, 6] (MMU-004)
  LevelsMissing,          ///< value descriptors, limit levels (MMU-003)
  UpdateMode,             ///< value is no DXGK_PAGETABLEUPDATEMODE (MMU-004)
  VirtualAddressBits,     ///< value above limit, or no more than the 12 of the offset (MMU-005)
  IndexBitsNone,          ///< level has no index bits, or they leave none for the root (MMU-005)
  IndexBitsTooMany,       ///< level has value index bits; limit is ours, see kMaxIndexBits
  IndexBitsSum,           ///< 12 and all index bits are value, less than VirtualAddressBitCount,
                          ///< which is limit, or none of it is the root's (MMU-005)
  TableSize,              ///< value is 0 or no multiple of 4096 (MMU-008)
  TableTooSmall,          ///< value bytes for limit entries, less than a byte for each (MMU-008)
  TableAlignment,         ///< value is no power of two; harmless
  Segment,                ///< value is no memory segment of limit enumerated ones (MMU-009);
                          ///< harmless: system memory takes its place
  SystemMemoryTableSize,  ///< value above 4096 in system memory (MMU-009); harmless: pages in a row
  CpuVirtualDirectories,  ///< CPU_VIRTUAL, but level lies in segment value (MMU-010); harmless
  Leaf64KSize,            ///< LeafPageTableSizeFor64KPagesInBytes no multiple of 4096 (MMU-004)
  Leaf64KCoverage,        ///< the leaf has value index bits: it covers less than 64 KB (PGSZ-007)
  DualPteWithout64KLeaf,  ///< DualPteSupported, no size of 64 KB leaves; harmless
  LinkAddressBits,        ///< GPU `level` of the link has value bits, GPU 0 limit (LDA-001)
  RootSize,               ///< value is 0, above limit, or no multiple of the page size (ROOT-002)
  RootCapacity,           ///< NumberOfPte is value, asked for were limit (ROOT-003)
};

struct Defect {
  DefectKind kind{};
  std::uint32_t level = 0;
  std::uint64_t value = 0;
  std::uint64_t limit = 0;
  friend bool operator==(const Defect&, const Defect&) = default;
};

/// Fixed tables have at most 2^20 entries here: a limit of ours, far above any hardware.
inline constexpr std::uint32_t kMaxIndexBits = 20;
/// The root of two levels may have 2^28 when it has grown, enough for 48 bits over leaves of 2 MB.
inline constexpr std::uint32_t kMaxRootIndexBits = 28;
/// Nothing larger than this is taken for the size of a root.
inline constexpr std::uint64_t kMaxRootBytes = std::uint64_t{1} << 40;

struct CheckedGeometry;

/// Page tables of one physical adapter. A plain value; made by check_geometry alone.
class Geometry {
 public:
  [[nodiscard]] const GpuMmuCaps& caps() const { return caps_; }
  [[nodiscard]] const PageTableLevelDesc& level(std::uint32_t level) const { return descs_[level]; }
  [[nodiscard]] std::uint32_t levels() const { return caps_.page_table_level_count; }
  [[nodiscard]] std::uint32_t root_level() const { return levels() - 1; }
  /// Bytes of an address space: 2^VirtualAddressBitCount.
  [[nodiscard]] std::uint64_t space_bytes() const { return space_bytes_; }
  [[nodiscard]] bool contains(GpuVirtualAddress va) const { return va.value < space_bytes_; }
  /// Whether the range has bytes, and none behind the space.
  [[nodiscard]] bool contains(const VaRange& range) const {
    return range.bytes != 0 && range.first.value < space_bytes_ &&
           range.bytes <= space_bytes_ - range.first.value;
  }

  /// Position of the entry for `va` in its table of `level` (MMU-007).
  [[nodiscard]] std::uint32_t index(std::uint32_t level, GpuVirtualAddress va) const {
    return static_cast<std::uint32_t>(va.value >> shift_[level]) & mask_[level];
  }
  /// The same for the 64 KB leaf: bits [16, 12 + bits[0]) (PGSZ-007).
  [[nodiscard]] std::uint32_t index_64kb(GpuVirtualAddress va) const {
    return index(0, va) / kPagesPer64K;
  }
  /// Entries of a table of `level`; for the root those that the space has addresses for, which of
  /// two levels are the most it can ever have.
  [[nodiscard]] std::uint32_t entries(std::uint32_t level) const { return mask_[level] + 1; }
  [[nodiscard]] std::uint32_t entries_64kb() const { return entries(0) / kPagesPer64K; }
  /// Bytes of address space under one entry.
  [[nodiscard]] std::uint64_t entry_bytes(std::uint32_t level) const {
    return std::uint64_t{1} << shift_[level];
  }
  /// Bytes of address space under one table.
  [[nodiscard]] std::uint64_t table_bytes(std::uint32_t level) const {
    return level == root_level() ? space_bytes_ : entry_bytes(level + 1);
  }
  /// The largest page above level 0 that is no larger than `bytes`; 0 if there is none.
  [[nodiscard]] std::uint64_t largest_page_within(std::uint64_t bytes) const {
    std::uint64_t largest = 0;
    for (std::uint32_t level = 1; level <= root_level() && entry_bytes(level) <= bytes; ++level) {
      largest = entry_bytes(level);
    }
    return largest;
  }
  /// First address under the table of `level` that covers `va`.
  [[nodiscard]] GpuVirtualAddress table_start(std::uint32_t level, GpuVirtualAddress va) const {
    return {va.value & ~(table_bytes(level) - 1)};
  }

  /// The root can grow and shrink: it has two levels (ROOT-001).
  [[nodiscard]] bool root_is_resizable() const { return levels() == 2; }
  /// There are 64 KB leaf tables (PGSZ-007).
  [[nodiscard]] bool has_64kb_leaves() const {
    return caps_.leaf_page_table_size_for_64kb_pages_in_bytes != 0;
  }
  /// ... and memory whose pages may be said in them: a segment with Use64KBPages, or system memory
  /// with SysMem64KBPageSupported. Without, the size of such tables is said of none (PGSZ-008).
  [[nodiscard]] bool maps_64kb_pages() const { return has_64kb_leaves() && memory_of_64kb_pages_; }
  /// A level-1 entry has both leaf tables (PGSZ-009).
  [[nodiscard]] bool dual_pte() const { return caps_.dual_pte_supported && has_64kb_leaves(); }

 private:
  friend CheckedGeometry check_geometry(const GpuMmuCaps&, std::span<const PageTableLevelDesc>,
                                        std::span<const ReportedSegment>);
  Geometry(const GpuMmuCaps& caps, std::span<const PageTableLevelDesc> levels,
           bool memory_of_64kb_pages);

  GpuMmuCaps caps_;
  std::array<PageTableLevelDesc, kMaxPageTableLevelCount> descs_{};
  std::array<std::uint8_t, kMaxPageTableLevelCount> shift_{};
  std::array<std::uint32_t, kMaxPageTableLevelCount> mask_{};
  std::uint64_t space_bytes_ = 0;
  bool memory_of_64kb_pages_ = false;
};

/// `geometry` is there unless a defect leaves no way to use the report; `defects` has all of them.
struct CheckedGeometry {
  std::optional<Geometry> geometry;
  std::vector<Defect> defects;
};

/// Whether an address space can still be made of a report with this defect.
[[nodiscard]] bool is_harmless(DefectKind kind);

/// Checks any numbers a driver may report. `levels` are the descriptors from the leaf up.
[[nodiscard]] CheckedGeometry check_geometry(const GpuMmuCaps& caps,
                                             std::span<const PageTableLevelDesc> levels,
                                             std::span<const ReportedSegment> segments);

/// GPUs of a link must agree on VirtualAddressBitCount (LDA-001). One defect for each that differs.
[[nodiscard]] std::vector<Defect> check_link(std::span<const GpuMmuCaps> caps);

/// An answer of DxgkDdiGetRootPageTableSize to a request for `requested` entries, where pages of
/// the root's segment have `page_bytes` (ROOT-002, ROOT-003). That equal requests get equal answers
/// and that sizes are minimal takes several answers and is for rules to compare.
[[nodiscard]] std::optional<Defect> check_root_size(std::uint32_t requested,
                                                    const RootPageTableSize& answer,
                                                    std::uint64_t page_bytes);

}  // namespace wddm::gpummu
