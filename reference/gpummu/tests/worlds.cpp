#include "reference/gpummu/tests/worlds.h"

#include "reference/harness_assert.h"

namespace wddm::gpummu::testing {

std::vector<ReportedSegment> segments() {
  return {{}, {.use_64kb_pages = true}, {.aperture = true}};
}

CheckedGeometry Report::check() const {
  return check_geometry(caps, levels, segments());
}

Geometry Report::geometry() const {
  const CheckedGeometry checked = check();
  HARNESS_ASSERT(checked.geometry);
  return *checked.geometry;
}

Report& Report::leaves_64kb() {
  caps.leaf_page_table_size_for_64kb_pages_in_bytes = 4096;
  return *this;
}

Report& Report::dual_pte() {
  caps.dual_pte_supported = true;
  return leaves_64kb();
}

Report& Report::large_pages() {
  caps.large_page_supported = true;
  return *this;
}

Report report(const std::vector<std::uint32_t>& index_bits) {
  Report report;
  report.caps.read_only_memory_supported = true;
  report.caps.no_execute_memory_supported = true;
  report.caps.zero_in_pte_supported = true;
  report.caps.page_table_update_mode = PageTableUpdateMode::GpuPhysical;
  report.caps.page_table_level_count = static_cast<std::uint32_t>(index_bits.size());
  report.caps.virtual_address_bit_count = 12;
  for (const std::uint32_t bits : index_bits) {
    report.caps.virtual_address_bit_count += bits;
    PageTableLevelDesc desc;
    desc.page_table_index_bit_count = bits;
    desc.page_table_segment_id = SegmentId{1};
    desc.paging_process_page_table_segment_id = SegmentId{1};
    desc.page_table_size_in_bytes = bits <= 9 ? 4096 : 8u << bits;
    report.levels.push_back(desc);
  }
  if (index_bits.size() == 2) {
    report.levels[1].page_table_index_bit_count = 0;
    report.levels[1].page_table_size_in_bytes = 0;
  }
  return report;
}

Report four_levels() {
  return report({9, 9, 9, 9});
}

}  // namespace wddm::gpummu::testing
