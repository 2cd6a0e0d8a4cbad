#include "reference/gpummu/geometry.h"

#include <algorithm>
#include <bit>

#include "reference/harness_assert.h"

namespace wddm::gpummu {
namespace {

constexpr std::uint32_t kOffsetBits = 12;
constexpr std::uint32_t kBitsPer64K = 4;

/// Gathers what is wrong with one report.
// System memory, or a memory segment of the driver.
bool has_tables(SegmentId id, std::span<const ReportedSegment> segments) {
  return id == SegmentId{} || (id.value <= segments.size() && !segments[id.value - 1].aperture);
}

class Check {
 public:
  Check(const GpuMmuCaps& caps, std::span<const PageTableLevelDesc> levels,
        std::span<const ReportedSegment> segments)
      : caps_(caps), levels_(levels), segments_(segments) {}

  std::vector<Defect> run() {
    const std::uint32_t count = caps_.page_table_level_count;
    if (count < kMinPageTableLevelCount || count > kMaxPageTableLevelCount) {
      report(DefectKind::LevelCount, 0, count, kMaxPageTableLevelCount);
      return defects_;  // nothing else can be said of levels
    }
    if (levels_.size() != count) {
      report(DefectKind::LevelsMissing, 0, levels_.size(), count);
      return defects_;
    }
    caps();
    index_bits();
    for (std::uint32_t level = 0; level < count; ++level) table(level);
    leaf_64kb();
    return defects_;
  }

 private:
  void report(DefectKind kind, std::uint32_t level, std::uint64_t value, std::uint64_t limit) {
    defects_.push_back({kind, level, value, limit});
  }
  [[nodiscard]] std::uint32_t root() const { return caps_.page_table_level_count - 1; }
  [[nodiscard]] bool resizable(std::uint32_t level) const { return root() == 1 && level == 1; }

  void caps() {
    const auto mode = static_cast<std::uint32_t>(caps_.page_table_update_mode);
    if (mode > 2) report(DefectKind::UpdateMode, 0, mode, 2);
    const std::uint32_t bits = caps_.virtual_address_bit_count;
    if (bits <= kOffsetBits || bits > kMaxGpuVaBitCount) {
      report(DefectKind::VirtualAddressBits, 0, bits, kMaxGpuVaBitCount);
    }
  }

  void index_bits() {
    std::uint64_t sum = kOffsetBits;
    for (std::uint32_t level = 0; level <= root(); ++level) {
      if (resizable(level)) break;
      const std::uint32_t bits = levels_[level].page_table_index_bit_count;
      if (bits == 0) report(DefectKind::IndexBitsNone, level, 0, 0);
      if (bits > kMaxIndexBits) report(DefectKind::IndexBitsTooMany, level, bits, kMaxIndexBits);
      sum += bits;
    }
    const std::uint64_t all = caps_.virtual_address_bit_count;
    if (root() != 1) {
      // A space that is smaller than its tables could be leaves the last entries of the root out.
      const std::uint64_t below = sum - levels_[root()].page_table_index_bit_count;
      if (sum < all || below >= all) report(DefectKind::IndexBitsSum, 0, sum, all);
    } else if (sum >= all) {
      report(DefectKind::IndexBitsNone, 1, sum, all);
    } else if (all - sum > kMaxRootIndexBits) {
      report(DefectKind::IndexBitsTooMany, 1, all - sum, kMaxRootIndexBits);
    }
  }

  void table(std::uint32_t level) {
    const PageTableLevelDesc& desc = levels_[level];
    const std::uint32_t size = desc.page_table_size_in_bytes;
    if (size % kPageSize != 0 || (size == 0 && !resizable(level))) {
      report(DefectKind::TableSize, level, size, kPageSize);
    } else if (!resizable(level) && desc.page_table_index_bit_count <= kMaxIndexBits &&
               size >> desc.page_table_index_bit_count == 0) {
      report(DefectKind::TableTooSmall, level, size, 1ull << desc.page_table_index_bit_count);
    }
    const std::uint32_t alignment = desc.page_table_alignment_in_bytes;
    if (alignment != 0 && !std::has_single_bit(alignment)) {
      report(DefectKind::TableAlignment, level, alignment, 0);
    }
    segment(level, desc.page_table_segment_id);
    segment(level, desc.paging_process_page_table_segment_id);
    if (size > kPageSize && (desc.page_table_segment_id == SegmentId{} ||
                             desc.paging_process_page_table_segment_id == SegmentId{})) {
      report(DefectKind::SystemMemoryTableSize, level, size, kPageSize);
    }
    if (level > 0 && desc.page_table_segment_id != SegmentId{} &&
        caps_.page_table_update_mode == PageTableUpdateMode::CpuVirtual) {
      report(DefectKind::CpuVirtualDirectories, level, desc.page_table_segment_id.value, 0);
    }
  }

  void segment(std::uint32_t level, SegmentId id) {
    if (!has_tables(id, segments_)) {
      report(DefectKind::Segment, level, id.value, segments_.size());
    }
  }

  void leaf_64kb() {
    const std::uint32_t size = caps_.leaf_page_table_size_for_64kb_pages_in_bytes;
    const std::uint32_t bits = levels_[0].page_table_index_bit_count;
    if (size == 0) {
      if (caps_.dual_pte_supported) report(DefectKind::DualPteWithout64KLeaf, 0, 0, 0);
      return;
    }
    if (size % kPageSize != 0) report(DefectKind::Leaf64KSize, 0, size, kPageSize);
    if (bits < kBitsPer64K) report(DefectKind::Leaf64KCoverage, 0, bits, kBitsPer64K);
    if (size > kPageSize && (levels_[0].page_table_segment_id == SegmentId{} ||
                             levels_[0].paging_process_page_table_segment_id == SegmentId{})) {
      report(DefectKind::SystemMemoryTableSize, 0, size, kPageSize);
    }
  }

  const GpuMmuCaps& caps_;
  std::span<const PageTableLevelDesc> levels_;
  std::span<const ReportedSegment> segments_;
  std::vector<Defect> defects_;
};

}  // namespace

Geometry::Geometry(const GpuMmuCaps& caps, std::span<const PageTableLevelDesc> levels,
                   bool memory_of_64kb_pages)
    : caps_(caps),
      space_bytes_(std::uint64_t{1} << caps.virtual_address_bit_count),
      memory_of_64kb_pages_(memory_of_64kb_pages) {
  std::uint32_t shift = kOffsetBits;
  for (std::uint32_t level = 0; level < levels.size(); ++level) {
    descs_[level] = levels[level];
    const bool is_root = level + 1 == levels.size();  // it takes the rest
    const std::uint32_t bits =
        is_root ? caps.virtual_address_bit_count - shift : levels[level].page_table_index_bit_count;
    shift_[level] = static_cast<std::uint8_t>(shift);
    mask_[level] = (std::uint32_t{1} << bits) - 1;
    shift += bits;
  }
  HARNESS_ASSERT(shift == caps.virtual_address_bit_count);
}

bool is_harmless(DefectKind kind) {
  switch (kind) {
    case DefectKind::Segment:
    case DefectKind::SystemMemoryTableSize:
    case DefectKind::TableAlignment:
    case DefectKind::CpuVirtualDirectories:
    case DefectKind::DualPteWithout64KLeaf:
      return true;
    case DefectKind::LevelCount:
    case DefectKind::LevelsMissing:
    case DefectKind::UpdateMode:
    case DefectKind::VirtualAddressBits:
    case DefectKind::IndexBitsNone:
    case DefectKind::IndexBitsTooMany:
    case DefectKind::IndexBitsSum:
    case DefectKind::TableSize:
    case DefectKind::TableTooSmall:
    case DefectKind::Leaf64KSize:
    case DefectKind::Leaf64KCoverage:
    case DefectKind::LinkAddressBits:
    case DefectKind::RootSize:
    case DefectKind::RootCapacity:
      return false;
  }
  return false;
}

CheckedGeometry check_geometry(const GpuMmuCaps& caps, std::span<const PageTableLevelDesc> levels,
                               std::span<const ReportedSegment> segments) {
  CheckedGeometry checked;
  checked.defects = Check(caps, levels, segments).run();
  for (const Defect& defect : checked.defects) {
    if (!is_harmless(defect.kind)) return checked;
  }
  std::vector<PageTableLevelDesc> placed(levels.begin(), levels.end());
  for (PageTableLevelDesc& level : placed) {
    for (SegmentId* const id :
         {&level.page_table_segment_id, &level.paging_process_page_table_segment_id}) {
      if (!has_tables(*id, segments)) *id = SegmentId{};
    }
  }
  const bool memory_of_64kb_pages =
      caps.sys_mem_64kb_page_supported ||
      std::any_of(segments.begin(), segments.end(),
                  [](const ReportedSegment& segment) { return segment.use_64kb_pages; });
  checked.geometry = Geometry(caps, placed, memory_of_64kb_pages);
  return checked;
}

std::vector<Defect> check_link(std::span<const GpuMmuCaps> caps) {
  std::vector<Defect> defects;
  for (std::uint32_t i = 1; i < caps.size(); ++i) {
    const std::uint32_t bits = caps[i].virtual_address_bit_count;
    const std::uint32_t first = caps[0].virtual_address_bit_count;
    if (bits != first) defects.push_back({DefectKind::LinkAddressBits, i, bits, first});
  }
  return defects;
}

std::optional<Defect> check_root_size(std::uint32_t requested, const RootPageTableSize& answer,
                                      std::uint64_t page_bytes) {
  HARNESS_ASSERT(requested != 0 && page_bytes != 0);
  const std::uint64_t bytes = answer.bytes;
  if (bytes == 0 || bytes > kMaxRootBytes || bytes % page_bytes != 0 || bytes < requested) {
    return Defect{DefectKind::RootSize, 1, bytes, kMaxRootBytes};
  }
  if (answer.number_of_pte < requested) {
    return Defect{DefectKind::RootCapacity, 1, answer.number_of_pte, requested};
  }
  return std::nullopt;
}

}  // namespace wddm::gpummu
