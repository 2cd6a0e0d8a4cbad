// PT-009: Repeat replicates one entry.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_scenarios.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pt_009 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  pt::for_each_carried_out(trace, [&](const pt::CarriedOut& one) {
    if (!one.read() || !one.has(pt::kRepeat) || one.update.count < 2) return;
    judgement.reached(one.event);
    if (!one.badly_repeated()) return;
    judgement.fail(one.event, "the same in all of " + pt::text_of(one.update),
                   std::to_string(one.compared.wrong) + " entries say something else", {one.built});
  });
}

// A driver that adds a page for each entry.
class CountsOn final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    if (!update.Flags.Repeat || update.hAllocation == nullptr) return true;
    update.Flags.Repeat = 0;
    for (UINT i = 1; i < update.NumPageTableEntries; ++i) {
      update.pPageTableEntries[i].Valid = 1;
      update.pPageTableEntries[i].PageAddress = i;
    }
    return true;
  }
};

const Rule kRule{
    .id = "PT-009",
    .title = "Repeat replicates one entry",
    .evidence = Evidence::Memory,
    .rule =
        "With Flags.Repeat the driver reads pPageTableEntries[0] alone and writes it, its "
        "address as it is, to all NumPageTableEntries entries.",
    .sources = "ns-d3dkmddi-_dxgk_updatepagetableflags.md # Repeat",
    .note =
        "The same is what the client's decoder reads as the same: hardware may have bits that mean "
        "nothing. Behind the one element stand others here, for who reads them.",
    .applies = page_tables_and_decoder,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: pages of an allocation are mapped, moved in two parts, taken away and mapped again; and one page at four addresses
ops:
- transfer_chunk: {pages: 16}
- create_allocation: {allocation: 1, pages: 24, place: local}
- make_resident: {allocation: 1}
- idle
- move: {allocation: 1}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
- create_context: {context: 1}
- create_allocation: {allocation: 2, pages: 4, place: local}
- make_resident: {allocation: 2}
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- tile_updates: {context: 1, fence: 0, repeated_pages: 1}
- update_address: {allocation: 2, kind: map, to: 0, from: 0, pages: 4}
- idle
)",
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "the address counts on with each entry",
              .interposer = [] { return std::unique_ptr<Interposer>(new CountsOn); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_009
