// PTE-002: an invalid entry always removes the translation.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_scenarios.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pte_002 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto invalid = [](const EntryRecord& wanted) { return !pt::is_valid(wanted); };
  pt::judge_entries(
      trace, judgement,
      [&](const pt::CarriedOut& one) {
        return !one.has(pt::kInitialUpdate) && pt::writes(trace, one, invalid);
      },
      [&](const pt::CarriedOut&, const EntryDifference& differs) {
        return differs.second == 0 && invalid(differs.expected);
      });
}

// A driver for which there is nothing to do where nothing is mapped.
class NothingToMap final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    return update.Flags.InitialUpdate != 0 || update.pPageTableEntries[0].Valid != 0;
  }
};

const Rule kRule{
    .id = "PTE-002",
    .title = "An invalid entry always removes the translation",
    .evidence = Evidence::Memory,
    .rule =
        "An entry with Valid clear and Zero clear replaces whatever the table held by one "
        "that faults, whatever its other members say.",
    .sources =
        "gpu-virtual-address.md # Creation of page table allocations\n"
        "ns-d3dukmdt-_dxgk_pte.md # Valid",
    .applies = page_tables_and_decoder,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = pt::kPagesComeAndGo,
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "updates that only make entries invalid are left out",
              .interposer = [] { return std::unique_ptr<Interposer>(new NothingToMap); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pte_002
