// PT-026: an update above the leaf may have several entries, from any index on.
//
// What lies beside them PT-008 judges, a Repeat PT-009. How a single entry looks has clauses of its
// own; here one is wrong if it leads elsewhere than it was to, or nowhere.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pt_026 {
namespace {

bool leads_as(const EntryRecord& wanted, const EntryRecord& seen) {
  if (pt::is_valid(wanted) != pt::is_valid(seen)) return false;
  if (pt::is_zero(wanted) != pt::is_zero(seen)) return false;
  return !pt::leads_somewhere(wanted) || wanted.address == seen.address;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  pt::judge_entries(
      trace, judgement,
      [](const pt::CarriedOut& one) {
        return one.update.level != 0 && one.update.count > 1 && !one.has(pt::kInitialUpdate) &&
               !one.has(pt::kRepeat) && !one.never_came();
      },
      [](const pt::CarriedOut&, const EntryDifference& differs) {
        return !leads_as(differs.expected, differs.seen);
      });
}

// A driver to which what leads to a table comes alone.
class OneAtATime final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    const bool ordinary = !update.Flags.InitialUpdate && !update.Flags.Repeat;
    if (update.PageTableLevel != 0 && ordinary) update.NumPageTableEntries = 1;
    return true;
  }
};

const Rule kRule{
    .id = "PT-026",
    .title = "Several entries above the leaf are written by one update",
    .evidence = Evidence::Memory,
    .rule =
        "With PageTableLevel above 0 as with 0, the elements of pPageTableEntries go to as many "
        "entries from StartIndex on. Some may lead to tables, others be zero entries or invalid. "
        "Where they do not fit into one paging buffer, the buffers together write all of them.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md # PageTableLevel, StartIndex, "
        "NumPageTableEntries\n"
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # MultipassOffset",
    .note =
        "How many tables Windows makes before it leads to them no page says. Here those below one "
        "table that one request needs are written whole first, and what leads to them together. An "
        "entry that leads to 64 KB pages beside 4 KB pages is judged like the other half.",
    .applies = page_tables_and_decoder,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::GpuVirtual, Configured::GpuVirtualUpdates,
                  Configured::SmallLeaves, Configured::Pairs},
    .scenario = R"(
about: what is mapped and reserved at once needs several leaf tables, and what leads to them one word more than there is
ops:
- paging_buffer: {measure: needed_minus, bytes: 4, packed: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 16, place: local}
- make_resident: {allocation: 1}
# Across 16 MB + 2 MB, where a leaf table begins if one covers 2 MB or a smaller power of two.
- map_range: {allocation: 1, at: base, base: 0x11F8000, pages: 16}
# Whole leaf tables of zeros need none: between two that are made stand zero entries.
- reserve_address: {device: 0, zero: true, base: 0x21F0000, size: 0x4000000}
- idle
- destroy_allocation: {allocation: 1}
- idle
)",
    .control = R"(
about: one leaf table is all that is needed
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 16, place: local}
- make_resident: {allocation: 1}
- idle
)",
    .fault = {.about = "above the leaf the first entry alone is written",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneAtATime); },
              .also_fires = "PTE-003 PTE-006"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_026
