// PT-002: a page table has the size and the segment of its level.

#include <algorithm>

#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/pt/table_scenarios.h"
#include "conformance/rules/pt/table_updates.h"
#include "reference/types.h"

namespace wddm::pt_002 {
namespace {

// Of two levels the root has the size that GetRootPageTableSize says.
std::uint32_t size_of(const ev::TableUpdated& update, const mmu::ReportedTables& tables) {
  if (update.level == 1 && tables.caps().levels == 2) return update.table_bytes;
  return (update.flags & pt::kUse64KBPages) != 0 ? tables.caps().leaf_64kb_bytes
                                                 : tables.level(update.level)->said.bytes;
}

// Memory is given in whole pages, and that of the system page by page.
std::uint64_t alignment_of(const ev::PageTableLevelReported& said, std::uint32_t segment) {
  if (segment == 0) return kPageSize;
  return std::max<std::uint64_t>(1, pages_of(said.alignment)) * kPageSize;
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const mmu::ReportedTables tables(trace);
  if (!tables.complete()) return;
  for (const std::uint32_t index : trace.of<ev::TableUpdated>()) {
    const auto update = trace.at<ev::TableUpdated>(index);
    const mmu::ReportedTables::Level* const level = tables.level(update.level);
    if (level == nullptr) continue;
    judgement.reached(index);
    const std::uint32_t said =
        update.process == kSystemProcessNumber ? level->said.paging_segment : level->said.segment;
    // Tables of a segment that is none lie in system memory; MMU-009 says so.
    const std::uint32_t segment = mmu::is_memory_segment(said, platform) ? said : 0;
    const std::uint64_t alignment = alignment_of(level->said, segment);
    if (update.segment == segment && update.table_bytes == size_of(update, tables) &&
        update.place % alignment == 0) {
      continue;
    }
    judgement.fail(
        index,
        "a table of " + std::to_string(size_of(update, tables)) + " bytes in segment " +
            std::to_string(segment) + ", aligned to " + std::to_string(alignment),
        "one of " + std::to_string(update.table_bytes) + " bytes: " + pt::text_of(update),
        {level->event});
  }
}

const Rule kRule{
    .id = "PT-002",
    .title = "A page table has the size and the segment of its level",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "A table of level k has PageTableSizeInBytes of that level, or "
        "LeafPageTableSizeFor64KPagesInBytes, lies in PageTableSegmentId, or "
        "PagingProcessPageTableSegmentId for the paging process, aligned to "
        "PageTableAlignmentInBytes, for as long as it lives. The root of two levels has the "
        "size that the driver answers.",
    .sources =
        "gpu-virtual-address.md # Creation of page table allocations\n"
        "ns-d3dkmddi-_dxgk_page_table_level_desc.md",
    .note =
        "The page says nothing of PageTableAlignmentInBytes. In system memory, where a table has "
        "one page at most, pages of 4 KB are all that Windows has: more is asked for in segments "
        "alone.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::Pages64K, Configured::Pairs},
    .scenario = pt::kProcessGetsTables,
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "page tables lie in system memory, whatever segment the driver names",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::TablesInAnotherSegment}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_002
