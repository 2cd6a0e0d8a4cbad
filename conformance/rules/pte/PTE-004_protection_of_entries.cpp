// PTE-004: entries are read-only and no-execute as they say.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pte_004 {
namespace {

bool differs_in_protection(const EntryDifference& differs) {
  constexpr std::uint32_t kProtection = entry_flag::kReadOnly | entry_flag::kNoExecute;
  return pt::leads_somewhere(differs.expected) && pt::leads_somewhere(differs.seen) &&
         ((differs.expected.flags ^ differs.seen.flags) & kProtection) != 0;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  pt::judge_entries(
      trace, judgement,
      [&](const pt::CarriedOut& one) {
        return one.update.level == 0 && pt::writes(trace, one, pt::leads_somewhere);
      },
      [](const pt::CarriedOut&, const EntryDifference& differs) {
        return differs_in_protection(differs);
      });
}

NotApplicable protection(const Platform& platform) {
  if (const NotApplicable reason = page_tables_and_decoder(platform)) return reason;
  return platform.gpu_mmu_caps.read_only() || platform.gpu_mmu_caps.no_execute()
             ? nullptr
             : "no protection: neither ReadOnlyMemorySupported nor NoExecuteMemorySupported";
}

// A driver that leaves the bit out.
class AllMayWrite final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    for (UINT i = 0; i < update.NumPageTableEntries; ++i) update.pPageTableEntries[i].ReadOnly = 0;
    return true;
  }
};

const Rule kRule{
    .id = "PTE-004",
    .title = "Entries are read-only and no-execute as they say",
    .evidence = Evidence::Memory,
    .rule =
        "With ReadOnlyMemorySupported an entry with ReadOnly lets reads pass and faults on "
        "writes, one without lets both pass; with NoExecuteMemorySupported NoExecute keeps "
        "pages from being executed, and data accesses as they are.",
    .sources =
        "ns-d3dukmdt-_dxgk_pte.md # ReadOnly, NoExecute\n"
        "ns-d3dkmddi-_dxgk_gpummucaps.md # ReadOnlyMemorySupported, NoExecuteMemorySupported",
    .note =
        "That commands fetched from a NoExecute page fault, no document says: the bit is "
        "judged, not what follows.",
    .applies = protection,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::Pairs},
    .scenario = R"(
about: allocations of each segment are mapped once more, for reading and not to be executed, and used, also when their page tables have been away
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 2, place: local}
- create_allocation: {allocation: 2, pages: 2, place: aperture}
- create_allocation: {allocation: 3, pages: 2, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- make_resident: {allocation: 3}
- map_address: {allocation: 1, at: next, protection: read_only}
- map_address: {allocation: 2, at: next, protection: read_only}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 3, allocation: 3}
- copy: {slot: 3, source: 1, offset: 0, source_offset: 0, size: 4096}
- idle
- map_address: {allocation: 1, at: next, protection: no_execute, driver_protection: 0x3}
- map_address: {allocation: 2, at: next, protection: no_execute}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- fill: {slot: 2, offset: 4096, size: 4096, value: 0x22222222}
- idle
- move: {allocation: 1}
- evict: {allocation: 2}
- make_resident: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 1, source: 2, offset: 0, source_offset: 4096, size: 4096}
- idle
# A table that comes back gets entries of all kinds by one update.
- evict_tables: {device: 0}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 1, source: 2, offset: 4096, source_offset: 4096, size: 4096}
- idle
)",
    .control = R"(
about: the same without a protection
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 2, place: local}
- map_address: {allocation: 1, at: next}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x99999999}
- idle
)",
    .fault = {.about = "ReadOnly is left out of entries",
              .interposer = [] { return std::unique_ptr<Interposer>(new AllMayWrite); },
              .also_fires = "PT-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pte_004
