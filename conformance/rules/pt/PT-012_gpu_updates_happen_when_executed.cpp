// PT-012: updates in a paging buffer take effect when the GPU executes it.

#include "conformance/host/interposer.h"
#include "conformance/rules/pt/table_scenarios.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  pt::for_each_carried_out(trace, [&](const pt::CarriedOut& one) {
    if (!one.read() || one.update.mode == update_mode::kCpuVirtual) return;
    judgement.reached(one.built);
    if (one.update.changed == 0) return;
    judgement.fail(
        one.built,
        "the table as it was until the GPU executes the update of " + pt::text_of(one.update),
        std::to_string(one.update.changed) + " bytes are others when BuildPagingBuffer returns");
  });
}

NotApplicable gpu_modes(const Platform& platform) {
  if (const NotApplicable reason = page_tables_and_decoder(platform)) return reason;
  return platform.update_mode == update_mode::kCpuVirtual ? "all updates have the mode CPU_VIRTUAL"
                                                          : nullptr;
}

// A driver that has kept where it saw the leaf table of the system process at its start, and goes
// on writing there with the CPU.
class WritesAtOnce final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    auto& update = build->UpdatePageTable;
    if (build->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || update.PageTableLevel != 0) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    if (update.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) {
      process_ = update.hProcess;
      table_ = update.PageTableAddress.CpuVirtual;
    } else if (update.hProcess == process_ && table_ != nullptr) {
      const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE asked = update;
      update.UpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
      update.PageTableAddress.CpuVirtual = table_;
      const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
      update = asked;
      return status;
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }

 private:
  HANDLE process_ = nullptr;
  PVOID table_ = nullptr;
};

const Rule kRule{
    .id = "PT-012",
    .title = "Updates in a paging buffer take effect when the GPU executes it",
    .evidence = Evidence::Memory,
    .rule =
        "In the modes GPU_VIRTUAL and GPU_PHYSICAL DxgkDdiBuildPagingBuffer only records an "
        "update. The table changes when the GPU executes the buffer: after all that was "
        "recorded before, before all that comes later.",
    .sources =
        "examples.md # Updating page table entries of a process\n"
        "ne-d3dkmddi-_dxgk_buildpagingbuffer_operation.md # DXGK_OPERATION_UPDATE_PAGE_TABLE\n"
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Remarks",
    .applies = gpu_modes,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::Pages64K, Configured::Pairs,
                  Configured::GpuVirtualUpdates},
    .scenario = pt::kPagesComeAndGo,
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "updates of a paging buffer are written by the CPU at once",
              .interposer = [] { return std::unique_ptr<Interposer>(new WritesAtOnce); },
              .also_fires = "VPAGE-001 VPAGE-002 VPAGE-003 VPAGE-005"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
