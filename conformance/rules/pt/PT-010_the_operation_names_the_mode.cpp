// PT-010: UpdateMode of the operation selects the form of the address.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_scenarios.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pt_010 {
namespace {

// Only the first tables of the paging process are written in another mode than the declared one.
void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  pt::judge_entries(
      trace, judgement,
      [&](const pt::CarriedOut& one) { return one.update.mode != platform.update_mode; },
      [](const pt::CarriedOut& one, const EntryDifference&) { return one.never_came(); });
}

NotApplicable other_modes(const Platform& platform) {
  if (const NotApplicable reason = page_tables_and_decoder(platform)) return reason;
  return platform.update_mode == update_mode::kCpuVirtual ? "all updates have the mode CPU_VIRTUAL"
                                                          : nullptr;
}

// A driver that goes by its own capability: what the CPU is to write goes elsewhere.
class ByTheCap final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    return update.UpdateMode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL || update.Flags.InitialUpdate;
  }
};

const Rule kRule{
    .id = "PT-010",
    .title = "UpdateMode of the operation selects the form of the address",
    .evidence = Evidence::Memory,
    .rule =
        "PageTableAddress is read as CpuVirtual, GpuVirtual or GpuPhysical by UpdateMode of "
        "the operation, never by the mode that the driver declares. The first tables of the "
        "paging process are updated by the CPU on every adapter.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md # UpdateMode, PageTableAddress\n"
        "ne-d3dkmddi-_dxgk_pagetableupdatemode.md\n"
        "system-paging-process.md",
    .note =
        "Some pages name the capability DXGK_VIRTUALADDRESSCAPS::PageTableUpdateMode; its "
        "name today is DXGK_GPUMMUCAPS::PageTableUpdateMode.",
    .applies = other_modes,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::Pages64K, Configured::Pairs,
                  Configured::GpuVirtualUpdates},
    .scenario = pt::kPagesComeAndGo,
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "updates by the CPU do not come to their table",
              .interposer = [] { return std::unique_ptr<Interposer>(new ByTheCap); },
              .also_fires = "MMU-019"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_010
