// PTE-005: entries are cache coherent as they say.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pte_005 {
namespace {

bool is_page_of_system_memory(const EntryRecord& entry) {
  return pt::leads_somewhere(entry) && pt::is_system(entry);
}

// One that leads elsewhere is another clause's.
bool differs_in_coherence(const EntryDifference& differs) {
  return is_page_of_system_memory(differs.expected) && is_page_of_system_memory(differs.seen) &&
         ((differs.expected.flags ^ differs.seen.flags) & entry_flag::kCacheCoherent) != 0;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  pt::judge_entries(
      trace, judgement,
      [&](const pt::CarriedOut& one) {
        return one.update.level == 0 && pt::writes(trace, one, is_page_of_system_memory);
      },
      [](const pt::CarriedOut&, const EntryDifference& differs) {
        return differs_in_coherence(differs);
      });
}

NotApplicable coherence(const Platform& platform) {
  if (const NotApplicable reason = page_tables_and_decoder(platform)) return reason;
  return platform.gpu_mmu_caps.cache_coherent()
             ? nullptr
             : "no coherent entries: CacheCoherentMemorySupported is clear";
}

// A driver that asks the segment instead of the entry.
class AllOfSystemMemorySnoops final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    for (UINT i = 0; i < update.NumPageTableEntries; ++i) {
      DXGK_PTE& entry = update.pPageTableEntries[i];
      if (update.PageTableLevel == 0 && entry.Valid) entry.CacheCoherent = entry.Segment == 0;
    }
    return true;
  }
};

const Rule kRule{
    .id = "PTE-005",
    .title = "Entries are cache coherent as they say",
    .evidence = Evidence::Memory,
    .rule =
        "With CacheCoherentMemorySupported accesses through an entry of system memory snoop the "
        "CPU's caches where its CacheCoherent is set; the driver carries that bit over entry by "
        "entry, whatever segment or allocation the entry is of.",
    .sources =
        "ns-d3dukmdt-_dxgk_pte.md # CacheCoherent\n"
        "ns-d3dkmddi-_dxgk_gpummucaps.md # CacheCoherentMemorySupported",
    .note =
        "Snooping where it is not asked for reads no stale byte, but is not what the entry says. "
        "The host sets the bit for what the CPU caches: backing store that is paged, "
        "allocations with Cached, and every second command buffer.",
    .applies = coherence,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::Pairs},
    .scenario = R"(
about: allocations that the CPU caches and that it does not, in system memory, and backing store; then their page tables go and come back
ops:
- create_allocation: {allocation: 1, pages: 2, place: aperture, cpu_visible: true}
- create_allocation: {allocation: 2, pages: 2, place: aperture}
- create_allocation: {allocation: 3, pages: 2, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- make_resident: {allocation: 3}
- evict: {allocation: 3}
- idle
# Entries of both kinds are written by one update.
- evict_tables: {device: 0}
- create_context: {context: 1}
- idle
)",
    .control = R"(
about: an allocation that the CPU caches, read and written by commands
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: aperture, cpu_visible: true}
- cpu_write: {allocation: 1, value: 0x31415926}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
)",
    .fault = {.about = "every entry of system memory snoops",
              .interposer = [] { return std::unique_ptr<Interposer>(new AllOfSystemMemorySnoops); },
              .also_fires = "PT-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pte_005
