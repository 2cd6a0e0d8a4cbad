// PGSZ-009: with pairs a level-1 entry leads to a leaf of 4 KB and one of 64 KB pages.

#include "conformance/rules/pgsz/page_size_scenarios.h"
#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pgsz_009 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  pt::judge_entries(
      trace, judgement, [](const pt::CarriedOut& one) { return one.update.level == 1; },
      [](const pt::CarriedOut&, const EntryDifference& differs) { return differs.second != 0; });
}

NotApplicable pairs(const Platform& platform) {
  if (const NotApplicable reason = page_tables_and_decoder(platform)) return reason;
  return platform.gpu_mmu_caps.dual_pte() ? nullptr : "no pairs: DualPteSupported is 0";
}

// A driver that writes the pointer to the leaf of 4 KB pages alone.
class FirstOfThePair final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    if (update.PageTableLevel != 1) return true;
    none_.assign(update.NumPageTableEntries, {});
    update.pPageTableEntries64KB = none_.data();
    return true;
  }
  std::vector<DXGK_PTE> none_;
};

const Rule kRule{
    .id = "PGSZ-009",
    .title = "With pairs a level-1 entry leads to a leaf of 4 KB and one of 64 KB pages",
    .evidence = Evidence::Memory,
    .rule =
        "With DualPteSupported a level-1 update brings two pointers for each entry: "
        "pPageTableEntries to the leaf of 4 KB pages, pPageTableEntries64KB to that of 64 "
        "KB pages. Both stay in force side by side, and PageTablePageSize says nothing.",
    .sources =
        "support-for-64kb-pages.md # Dual PTE mode\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md # pPageTableEntries64KB\n"
        "ns-d3dkmddi-_dxgk_gpummucaps.md # DualPteSupported",
    .note =
        "The overview says that the 64 KB entry becomes invalid where an allocation moves "
        "into a segment with 64 KB pages; by its own diagram that is a segment without. "
        "That pPageTableEntries64KB comes with level-1 updates, no text says outright; "
        "updates of a leaf are of one table.",
    .applies = pairs,
    .check = check,
    .played_in = {Configured::Pairs, Configured::LinkedVirtualUpdates},
    .scenario = pgsz::kBothPageSizes,
    .control = pgsz::kSmallPageAlone,
    .fault = {.about = "the pointers to leaves of 64 KB pages are left out",
              .interposer = [] { return std::unique_ptr<Interposer>(new FirstOfThePair); },
              .also_fires = "PT-010"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pgsz_009
