// ROOT-001: only the root of two levels has a size that is asked for.

#include <algorithm>

#include "conformance/rules/mmu/reported_tables.h"

namespace wddm::root_001 {
namespace {

// All that the root has, but for those behind the end of a space that is smaller than its tables
// could be; 0: not known.
std::uint32_t entries_of_root(const mmu::ReportedTables& tables, std::uint32_t level) {
  const mmu::ReportedTables::Level* const root = tables.level(level);
  if (root == nullptr || root->said.index_bits >= 32) return 0;
  const std::uint64_t all = std::uint64_t{1} << root->said.index_bits;
  const std::uint64_t covers = tables.entry_bytes(level, false);
  if (covers == 0 || tables.caps().address_bits >= 64) return static_cast<std::uint32_t>(all);
  const std::uint64_t space = std::uint64_t{1} << tables.caps().address_bits;
  return static_cast<std::uint32_t>(std::min(all, space / covers));
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (platform.page_table_levels <= 2) return;
  const mmu::ReportedTables tables(trace);
  for (const std::uint32_t index : trace.of<ev::RootSizeReported>()) {
    judgement.fail(index, "no question for a size of roots with more than two levels",
                   "GetRootPageTableSize is called, of " +
                       std::to_string(platform.page_table_levels) + " levels");
  }
  const std::uint32_t level = platform.page_table_levels - 1;
  const std::uint32_t entries = entries_of_root(tables, level);
  if (entries == 0) return;
  for (const std::uint32_t index : trace.of<ev::RootSet>()) {
    const auto set = trace.at<ev::RootSet>(index);
    judgement.reached(index);
    if (set.entries == entries) continue;
    judgement.fail(index, "NumEntries " + std::to_string(entries) + ", all that the root has",
                   "NumEntries " + std::to_string(set.entries), {tables.level(level)->event});
  }
}

NotApplicable fixed_root(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return platform.page_table_levels == 2 ? "the root of two page table levels is resized" : nullptr;
}

const Rule kRule{
    .id = "ROOT-001",
    .title = "Only the root of a two-level scheme is resizable",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "DxgkDdiGetRootPageTableSize is called for two levels of page tables alone. Of more levels "
        "the root has the size of its description for as long as it lives, and each "
        "SetRootPageTable names all of its entries: at most it moves.",
    .sources =
        "gpu-virtual-address.md # introduction; Growing and shrinking a root page table\n"
        "ns-d3dkmddi-_dxgk_gpummucaps.md # PageTableLevelCount\n"
        "nc-d3dkmddi-dxgkddi_getrootpagetablesize.md",
    .note =
        "Entries behind VirtualAddressBitCount, where the tables could have more (MMU-005), lead "
        "from no address, and are not counted here.",
    .applies = fixed_root,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::Pairs, Configured::InvalidCached},
    .scenario = R"(
about: a process uses addresses at both ends of its space, and its root moves
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- map_address: {allocation: 1, at: top}
- move_table: {allocation: 1, level: 5}
- free_address: {allocation: 1}
- idle
)",
    .control = R"(
about: the root of the system process alone
ops:
- start
)",
    .fault = {.about = "contexts are told of half of the root",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::RootHalfAnnounced}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_001
