// PGSZ-007: a leaf of 64 KB pages has an entry for each of them.

#include "conformance/rules/pgsz/page_size_scenarios.h"
#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pgsz_007 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  pt::judge_entries(
      trace, judgement, [](const pt::CarriedOut& one) { return one.has(pt::kUse64KBPages); },
      [](const pt::CarriedOut&, const EntryDifference& differs) {
        return pt::leads_elsewhere(differs);
      });
}

NotApplicable leaves_of_64kb(const Platform& platform) {
  if (const NotApplicable reason = page_tables_and_decoder(platform)) return reason;
  return platform.leaf_64kb_bytes != 0
             ? nullptr
             : "no leaf tables of 64 KB pages: LeafPageTableSizeFor64KPagesInBytes is 0";
}

// A driver that counts from one in leaves of 64 KB pages.
class AnotherIndex final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    if (update.Flags.Use64KBPages && !update.Flags.InitialUpdate) ++update.StartIndex;
    return true;
  }
};

const Rule kRule{
    .id = "PGSZ-007",
    .title = "A leaf of 64 KB pages has an entry for each of them",
    .evidence = Evidence::Memory,
    .rule =
        "A leaf table for 64 KB pages covers what one of 4 KB pages does, with a sixteenth "
        "of its entries, in LeafPageTableSizeFor64KPagesInBytes bytes. An update with "
        "Use64KBPages counts StartIndex and NumPageTableEntries in entries of 64 KB.",
    .sources =
        "support-for-64kb-pages.md\n"
        "ns-d3dkmddi-_dxgk_gpummucaps.md # LeafPageTableSizeFor64KPagesInBytes\n"
        "ns-d3dkmddi-_dxgk_updatepagetableflags.md # Use64KBPages",
    .note =
        "One page says that the flag is about tables that lead to tables of 64 KB pages, "
        "another that it is the type of the table that is updated. The latter is used: "
        "above level 0 PageTablePageSize of the entries says it.",
    .unreached =
        "no leaf of 64 KB pages was written: nothing was mapped that lies in such pages alone",
    .applies = leaves_of_64kb,
    .check = check,
    .played_in = {Configured::Pages64K, Configured::Pairs},
    .scenario = pgsz::kBothPageSizes,
    .control = pgsz::kSmallPageAlone,
    .fault = {.about = "entries of 64 KB pages are written one place further on",
              .interposer = [] { return std::unique_ptr<Interposer>(new AnotherIndex); },
              .also_fires = "PT-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pgsz_007
