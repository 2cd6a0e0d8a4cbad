// PGSZ-008: the entry above a leaf says which pages the leaf has, as of the last update.

#include "conformance/rules/pgsz/page_size_scenarios.h"
#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pgsz_008 {
namespace {

bool differs_in_page_size(const EntryDifference& differs) {
  const std::uint32_t changed = differs.expected.flags ^ differs.seen.flags;
  return pt::leads_somewhere(differs.expected) && pt::leads_somewhere(differs.seen) &&
         (changed & entry_flag::kLeaf64K) != 0;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  pt::judge_entries(
      trace, judgement,
      [&](const pt::CarriedOut& one) {
        return one.update.level == 1 && pt::writes(trace, one, pt::leads_somewhere);
      },
      [](const pt::CarriedOut&, const EntryDifference& differs) {
        return differs_in_page_size(differs);
      });
}

NotApplicable single_entries(const Platform& platform) {
  if (const NotApplicable reason = page_tables_and_decoder(platform)) return reason;
  if (platform.leaf_64kb_bytes == 0) {
    return "no leaf tables of 64 KB pages: LeafPageTableSizeFor64KPagesInBytes is 0";
  }
  return platform.gpu_mmu_caps.dual_pte() ? "entries of level 1 are pairs" : nullptr;
}

// A driver that goes by the page size it was told of first.
class FirstPageSize final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    if (update.PageTableLevel != 1) return true;
    for (UINT i = 0; i < update.NumPageTableEntries; ++i) {
      DXGK_PTE& entry = update.pPageTableEntries[i];
      if (!entry.Valid) continue;
      if (first_.size() <= update.StartIndex + i) first_.resize(update.StartIndex + i + 1);
      Known& known = first_[update.StartIndex + i];
      if (known.process != update.hProcess) {
        known = {update.hProcess, static_cast<UINT>(entry.PageTablePageSize)};
      }
      entry.PageTablePageSize = known.page_size;
    }
    return true;
  }

  struct Known {
    HANDLE process = nullptr;
    UINT page_size = 0;
  };
  std::vector<Known> first_;  // by index in the level-1 table
};

const Rule kRule{
    .id = "PGSZ-008",
    .title = "The entry above a leaf says which pages the leaf has, as of the last update",
    .evidence = Evidence::Memory,
    .rule =
        "Without pairs PageTablePageSize of a level-1 entry selects the format of the leaf "
        "below it. When a leaf of 64 KB pages gives way to one of 4 KB pages, the driver is "
        "given the new leaf first and then the level-1 entry that leads to it; each leaf "
        "update is in the format that its own Use64KBPages names.",
    .sources =
        "support-for-64kb-pages.md # Single PTE mode\n"
        "ns-d3dukmdt-_dxgk_pte.md # PageTablePageSize",
    .note =
        "A leaf of 64 KB pages is used only where some memory has such pages: a segment with "
        "Use64KBPages, or system memory with SysMem64KBPageSupported. Read so because the page "
        "chooses it by the segments of what is mapped; LeafPageTableSizeFor64KPagesInBytes alone "
        "says only how large one is. Where there is such memory, ranges of zeros may have it too.",
    .applies = single_entries,
    .check = check,
    .played_in = {Configured::Pages64K},
    .scenario = pgsz::kBothPageSizes,
    .control = pgsz::kSmallPageAlone,
    .fault = {.about = "a level-1 entry keeps the page size that it had first",
              .interposer = [] { return std::unique_ptr<Interposer>(new FirstPageSize); },
              .also_fires = "MMU-007 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pgsz_008
