// MMU-010: updates by the CPU are not combined with page directories in local memory.

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/seg/segments_of_gpu.h"

namespace wddm::mmu_010 {
namespace {

// Apertures are judged by MMU-009.
void judge(const mmu::ReportedTables& tables, const seg::SegmentsOfGpus& known,
           Judgement& judgement) {
  if (!tables.complete()) return;
  for (std::uint32_t i = 1; i < tables.caps().levels; ++i) {
    const mmu::ReportedTables::Level& level = *tables.level(i);
    judgement.reached(level.event);
    if (tables.caps().update_mode != update_mode::kCpuVirtual) continue;
    if (!known.is_memory(level.said.segment, tables.gpu())) continue;
    judgement.fail(
        level.event, "DXGK_PAGETABLEUPDATE_CPU_VIRTUAL only with page directories in system memory",
        "level " + std::to_string(i) + " lies in segment " + std::to_string(level.said.segment),
        {tables.event()});
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const seg::SegmentsOfGpus known(trace, platform);
  for (std::uint32_t gpu = 0; gpu < mmu::gpus_asked(trace); ++gpu) {
    judge(mmu::ReportedTables(trace, gpu), known, judgement);
  }
}

class CpuUpdates final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_GPUMMUCAPS) {
      static_cast<DXGK_GPUMMUCAPS*>(query->pOutputData)->PageTableUpdateMode =
          DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    }
    return status;
  }
};

const Rule kRule{
    .id = "MMU-010",
    .title = "Updates by the CPU are not combined with page directories in local memory",
    .rule =
        "Where PageTableSegmentId of a level above the leaf is a memory segment, "
        "PageTableUpdateMode is not DXGK_PAGETABLEUPDATE_CPU_VIRTUAL.",
    .sources = "ns-d3dkmddi-_dxgk_gpummucaps.md # PageTableUpdateMode",
    .note =
        "The tables of the paging process are written by the CPU at first in any case (PT-011); "
        "the rule is about the mode that the driver declares.",
    .applies = gpu_mmu,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::Pages64K},
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    .control = R"(
about: asked again
ops:
- requery
)",
    .fault = {.about = "PageTableUpdateMode is CPU_VIRTUAL with directories in video memory",
              .interposer = [] { return std::unique_ptr<Interposer>(new CpuUpdates); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_010
