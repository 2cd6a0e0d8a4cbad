// MMU-017: page tables that the CPU writes lie where it reaches them.

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/seg/segments_of_gpu.h"

namespace wddm::mmu_017 {
namespace {

// Tables of system memory, in apertures or in no segment at all are MMU-009's.
void judge(const mmu::ReportedTables& tables, const seg::SegmentsOfGpus& known,
           Judgement& judgement) {
  if (tables.event() == kNone) return;
  const auto judge_one = [&](const mmu::ReportedTables::Level& level, const char* member,
                             std::uint32_t segment) {
    if (!known.is_memory(segment, tables.gpu())) return;
    judgement.reached(level.event);
    if ((known.hidden(tables.gpu()) & seg::bit_of(segment)) == 0) return;
    judgement.fail(level.event,
                   "system memory, or a segment with CpuVisible or SupportsCpuHostAperture, as the "
                   "CPU writes these tables",
                   std::string(member) + " of level " + std::to_string(level.said.level) +
                       " is segment " + std::to_string(segment) + ", which no CPU reaches",
                   {tables.event()});
  };
  for (std::uint32_t i = 0; i < mmu::kMostLevels; ++i) {
    const mmu::ReportedTables::Level* const level = tables.level(i);
    if (level == nullptr) continue;
    judge_one(*level, "PagingProcessPageTableSegmentId", level->said.paging_segment);
    if (tables.caps().update_mode != update_mode::kCpuVirtual) continue;
    judge_one(*level, "PageTableSegmentId", level->said.segment);
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (trace.of<ev::SegmentReported>().empty()) return;
  const seg::SegmentsOfGpus known(trace, platform);
  for (std::uint32_t gpu = 0; gpu < mmu::gpus_asked(trace); ++gpu) {
    judge(mmu::ReportedTables(trace, gpu), known, judgement);
  }
}

// A driver that wants all of its tables in the same memory, which lies behind its BAR.
class AllInOneSegment final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (!NT_SUCCESS(status)) return status;
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT4) {
      note(*static_cast<const DXGK_QUERYSEGMENTOUT4*>(query->pOutputData));
    } else if (query->Type == DXGKQAITYPE_PAGETABLELEVELDESC && hidden_ != 0) {
      static_cast<DXGK_PAGE_TABLE_LEVEL_DESC*>(query->pOutputData)
          ->PagingProcessPageTableSegmentId = hidden_;
    }
    return status;
  }

 private:
  void note(const DXGK_QUERYSEGMENTOUT4& out) {
    for (UINT i = 0; out.pSegmentDescriptor != nullptr && i < out.NbSegment; ++i) {
      const DXGK_SEGMENTFLAGS flags = reinterpret_cast<const DXGK_SEGMENTDESCRIPTOR4*>(
                                          out.pSegmentDescriptor + i * out.SegmentDescriptorStride)
                                          ->Flags;
      if (!flags.Aperture && !flags.CpuVisible && !flags.SupportsCpuHostAperture) hidden_ = i + 1;
    }
  }

  UINT hidden_ = 0;
};

const Rule kRule{
    .id = "MMU-017",
    .title = "The CPU reaches the page tables that it writes",
    .rule =
        "The tables of the paging process are written by the CPU when they come, whatever "
        "PageTableUpdateMode is: PagingProcessPageTableSegmentId of each level is system memory or "
        "a segment that the CPU reaches, with CpuVisible or by a CPU host aperture. Where "
        "PageTableUpdateMode is DXGK_PAGETABLEUPDATE_CPU_VIRTUAL, so is PageTableSegmentId.",
    .sources =
        "system-paging-process.md\n"
        "ns-d3dkmddi-_dxgk_page_table_level_desc.md # PagingProcessPageTableSegmentId\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md # PageTableAddress\n"
        "cpu-host-aperature.md",
    .note =
        "No page says it of the segment; it follows from who writes, and at which address. A "
        "segment of system memory (PopulatedFromSystemMemory, PopulatedByReservedDDRByFirmware) is "
        "taken for one that the CPU reaches. Where the window lies is SEG-006, and that it works "
        "from the start PT-021.",
    .unreached = "page tables that the CPU writes lie in system memory",
    .applies = gpu_mmu,
    .check = check,
    .played_in = {Configured::HighMemory, Configured::HostAperture, Configured::LinkedHostAperture},
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    .control = R"(
about: updates through the addresses of the paging process, whose own tables the CPU writes all the same
ops:
- configure: {setting: PageTableUpdateMode, value: 1}
- requery
)",
    .fault = {.about = "the tables of the paging process are to lie in memory behind the BAR",
              .interposer = [] { return std::unique_ptr<Interposer>(new AllInOneSegment); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_017
