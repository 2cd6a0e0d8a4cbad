// PTE-001: a valid entry leads to exactly the page or table it names.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_scenarios.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pte_001 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto ours = [](const EntryRecord& wanted) {
    return pt::leads_somewhere(wanted) && !pt::is_system(wanted);
  };
  pt::judge_entries(
      trace, judgement,
      [&](const pt::CarriedOut& one) {
        return !one.has(pt::kUse64KBPages) && !one.never_came() && pt::writes(trace, one, ours);
      },
      [&](const pt::CarriedOut& one, const EntryDifference& differs) {
        const EntryRecord& seen = differs.seen;
        const bool astray = !pt::leads_somewhere(seen) || pt::is_system(seen) ||
                            differs.expected.address != seen.address;
        return differs.second == 0 && ours(differs.expected) && astray &&
               !pt::follows_the_first(trace, one, differs);
      });
}

// A driver that keeps five bits of a frame number.
class FiveBits final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    for (UINT i = 0; i < update.NumPageTableEntries; ++i) {
      DXGK_PTE& entry = update.pPageTableEntries[i];
      if (update.PageTableLevel == 0 && entry.Segment != 0) entry.PageAddress &= 31;
    }
    return true;
  }
};

const Rule kRule{
    .id = "PTE-001",
    .title = "A valid entry leads to exactly the page or table it names",
    .evidence = Evidence::Memory,
    .rule =
        "With Valid set and Zero clear the hardware entry leads to the page at PageAddress, "
        "or above level 0 to the table at PageTableAddress, of the segment named by "
        "Segment: every bit of the page frame counts, and reserved bits do not.",
    .sources =
        "gpu-virtual-address.md # DXGK_PTE\n"
        "ns-d3dukmdt-_dxgk_pte.md # PageAddress, PageTableAddress, Segment",
    .note =
        "The documents leave open whether PageAddress holds the address or its page frame; "
        "the high 52 bits of an address are its frame. Entries that name system memory are "
        "judged by PTE-006.",
    .unreached = "no table was seen to have an entry for memory of a segment",
    .applies = page_tables_and_decoder,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates,
                  Configured::HighMemory},
    .scenario = pt::kPagesComeAndGo,
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "five bits of a frame number are kept",
              .interposer = [] { return std::unique_ptr<Interposer>(new FiveBits); },
              .also_fires = "VPAGE-002 VPAGE-003 VPAGE-005"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pte_001
