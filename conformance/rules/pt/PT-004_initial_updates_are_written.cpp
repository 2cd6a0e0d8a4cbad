// PT-004: an initial update is written in full, whatever the memory held.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_scenarios.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pt_004 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  pt::judge_entries(
      trace, judgement, [](const pt::CarriedOut& one) { return one.has(pt::kInitialUpdate); },
      [](const pt::CarriedOut&, const EntryDifference&) { return true; });
}

// A driver that takes new memory to be zero, and zero entries to be invalid.
class TrustsZeros final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    const bool all_invalid = update.Flags.Repeat && !update.pPageTableEntries[0].Valid;
    return !(update.Flags.InitialUpdate && all_invalid);
  }
};

const Rule kRule{
    .id = "PT-004",
    .title = "An initial update is written in full, whatever the memory held",
    .evidence = Evidence::Memory,
    .rule =
        "An update with InitialUpdate is written for its whole range, whatever bytes the "
        "memory held before and whatever the driver remembers of an earlier table there.",
    .sources =
        "gpu-virtual-address.md # Creation of page table allocations\n"
        "ns-d3dkmddi-_dxgk_updatepagetableflags.md # InitialUpdate",
    .applies = page_tables_and_decoder,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = pt::kPagesComeAndGo,
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "initial updates that make all entries invalid are left out",
              .interposer = [] { return std::unique_ptr<Interposer>(new TrustsZeros); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_004
