// ROOT-001: only the root of two levels has a size that is asked for.

#include "conformance/rules/mmu/reported_tables.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (platform.page_table_levels <= 2) return;
  const mmu::ReportedTables tables(trace);
  for (const std::uint32_t index : trace.of<ev::RootSizeReported>()) {
    judgement.fail(index, "no question for a size of roots with more than two levels",
                   "GetRootPageTableSize is called, of " +
                       std::to_string(platform.page_table_levels) + " levels");
  }
  const mmu::ReportedTables::Level* const root = tables.level(platform.page_table_levels - 1);
  if (root == nullptr || root->said.index_bits >= 32) return;
  const std::uint32_t entries = 1u << root->said.index_bits;
  for (const std::uint32_t index : trace.of<ev::RootSet>()) {
    const auto set = trace.at<ev::RootSet>(index);
    judgement.reached(index);
    if (set.entries == entries) continue;
    judgement.fail(index, "NumEntries " + std::to_string(entries) + ", all that the root has",
                   "NumEntries " + std::to_string(set.entries), {root->event});
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
}  // namespace wddm
