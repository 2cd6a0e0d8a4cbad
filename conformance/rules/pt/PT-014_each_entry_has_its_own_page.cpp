// PT-014: the pages of one update follow each other in the allocation, not in memory.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pt_014 {
namespace {

bool scattered(const Trace& trace, const pt::CarriedOut& one) {
  if (one.update.level != 0) return false;
  const auto entries = trace.blob<EntryRecord>(trace.events()[one.built]);
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const bool both = pt::leads_somewhere(entries[i - 1]) && pt::leads_somewhere(entries[i]);
    if (both && entries[i].address != entries[i - 1].address + one.page_bytes()) return true;
  }
  return false;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  pt::judge_entries(
      trace, judgement, [&](const pt::CarriedOut& one) { return scattered(trace, one); },
      [&](const pt::CarriedOut& one, const EntryDifference& differs) {
        return pt::follows_the_first(trace, one, differs);
      });
}

// A driver that writes a run of pages from the first on.
class FirstPageAndStride final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    if (update.PageTableLevel != 0 || update.hAllocation == nullptr) return true;
    for (UINT i = 1; i < update.NumPageTableEntries; ++i) {
      DXGK_PTE& entry = update.pPageTableEntries[i];
      if (entry.Valid) entry.PageAddress = update.pPageTableEntries[0].PageAddress + i;
    }
    return true;
  }
};

const Rule kRule{
    .id = "PT-014",
    .title = "The pages of one update follow each other in the allocation, not in memory",
    .evidence = Evidence::Memory,
    .rule =
        "Each entry is written from its own DXGK_PTE. Which part of the allocation is "
        "mapped, hAllocation and AllocationOffsetInBytes say; nothing follows from them, or "
        "from the first entry, for the others.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md # AllocationOffsetInBytes\n"
        "live-migration-on-gpup-devices.md # Scatter-paging support",
    .note = "Judged of updates whose pages do not follow each other in memory.",
    .applies = page_tables_and_decoder,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: more pages than are shown to a driver at a time come, move, go and come again
ops:
- create_allocation: {allocation: 1, pages: 100, place: local}
- cpu_write: {allocation: 1, offset: 8192, value: 0x01010101}
- make_resident: {allocation: 1}
- idle
- move: {allocation: 1}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
)",
    .control = R"(
about: a single page is no run
ops:
- create_allocation: {allocation: 1, pages: 1, place: local}
- make_resident: {allocation: 1}
- evict: {allocation: 1}
- idle
)",
    .fault = {.about = "pages are taken to follow the first",
              .interposer = [] { return std::unique_ptr<Interposer>(new FirstPageAndStride); },
              .also_fires = "NT-DmaOutsideMemory PGSZ-001 SUBMIT-017 VPAGE-002 VPAGE-003"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_014
