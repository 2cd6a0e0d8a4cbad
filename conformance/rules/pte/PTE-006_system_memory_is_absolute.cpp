// PTE-006: entries of segment 0 hold addresses of system memory.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_scenarios.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pte_006 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto ours = [](const EntryRecord& wanted) {
    return pt::leads_somewhere(wanted) && pt::is_system(wanted);
  };
  pt::judge_entries(
      trace, judgement,
      [&](const pt::CarriedOut& one) {
        return !one.has(pt::kUse64KBPages) && !one.never_came() && pt::writes(trace, one, ours);
      },
      [&](const pt::CarriedOut& one, const EntryDifference& differs) {
        const EntryRecord& seen = differs.seen;
        const bool astray = !pt::leads_somewhere(seen) || !pt::is_system(seen) ||
                            differs.expected.address != seen.address;
        return differs.second == 0 && ours(differs.expected) && astray &&
               !pt::follows_the_first(trace, one, differs);
      });
}

// A driver that adds the base of its video memory to pages of system memory too.
class AddsABase final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    constexpr UINT64 kBase = 0x100;  // in pages
    for (UINT i = 0; i < update.NumPageTableEntries; ++i) {
      DXGK_PTE& entry = update.pPageTableEntries[i];
      if (update.hAllocation != nullptr && entry.Segment == 0) entry.PageAddress += kBase;
    }
    return true;
  }
};

const Rule kRule{
    .id = "PTE-006",
    .title = "Entries of segment 0 hold addresses of system memory",
    .evidence = Evidence::Memory,
    .rule =
        "With Segment 0 PageAddress is the page of system memory itself and the driver adds "
        "nothing to it; with another segment it counts from the start of that segment.",
    .sources =
        "gpu-virtual-address.md # introduction\n"
        "ns-d3dukmdt-_dxgk_pte.md # Segment, PageAddress\n"
        "gpu-segments.md # System Memory Segments",
    .applies = page_tables_and_decoder,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = pt::kPagesComeAndGo,
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "a base is added to the pages of system memory",
              .interposer = [] { return std::unique_ptr<Interposer>(new AddsABase); },
              .also_fires = "NT-DmaOutsideMemory SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pte_006
