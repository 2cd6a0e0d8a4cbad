// MMU-009: page tables lie in system memory or in a memory segment of the driver.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/seg/segments_of_gpu.h"

namespace wddm::mmu_009 {
namespace {

constexpr std::uint32_t kPage = 4096;

// Without such pages LeafPageTableSizeFor64KPagesInBytes is of tables that are never made.
bool has_pages_of_64kb(const mmu::ReportedTables& tables, const Platform& platform) {
  const GpuMmuCaps caps{tables.caps().caps};
  return caps.dual_pte() || caps.system_pages_64kb() ||
         std::any_of(platform.segments.begin(), platform.segments.end(),
                     [](const PlatformSegment& each) { return each.flags.use_64kb_pages(); });
}

// Of two levels PageTableSizeInBytes of the root is where its size begins, and may be 0: how large
// it is GetRootPageTableSize says. A leaf for pages of 64 KB lies where one for pages of 4 KB does.
std::uint32_t bytes_of(const mmu::ReportedTables& tables, const ev::PageTableLevelReported& said,
                       const Platform& platform) {
  if (said.level == 1 && tables.caps().levels == 2) return 0;
  if (said.level != 0 || !has_pages_of_64kb(tables, platform)) return said.bytes;
  return std::max(said.bytes, tables.caps().leaf_64kb_bytes);
}

const char* wrong(std::uint32_t segment, std::uint32_t bytes, std::uint32_t gpu,
                  const seg::SegmentsOfGpus& known) {
  if (segment == 0) return bytes > kPage ? "a table of system memory above 4096 bytes" : nullptr;
  const std::uint32_t bit = seg::bit_of(segment);
  if ((known.all(gpu) & bit) == 0) return "a segment that the driver does not have";
  if ((known.apertures(gpu) & bit) != 0) return "an aperture segment";
  return nullptr;
}

void judge(const mmu::ReportedTables& tables, const seg::SegmentsOfGpus& known,
           const Platform& platform, Judgement& judgement) {
  if (tables.event() == kNone) return;
  for (std::uint32_t i = 0; i < mmu::kMostLevels; ++i) {
    const mmu::ReportedTables::Level* const level = tables.level(i);
    if (level == nullptr) continue;
    judgement.reached(level->event);
    const std::uint32_t segments[] = {level->said.segment, level->said.paging_segment};
    const char* const names[] = {"PageTableSegmentId", "PagingProcessPageTableSegmentId"};
    const std::uint32_t bytes = bytes_of(tables, level->said, platform);
    for (int which = 0; which < 2; ++which) {
      if (const char* const what = wrong(segments[which], bytes, tables.gpu(), known)) {
        judgement.fail(level->event,
                       "0 for system memory, whose tables have at most 4096 bytes, or a memory "
                       "segment of the driver",
                       std::string(names[which]) + " of level " + std::to_string(i) + " is " +
                           std::to_string(segments[which]) + ": " + what);
        break;
      }
    }
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (trace.of<ev::SegmentReported>().empty()) return;
  const seg::SegmentsOfGpus known(trace, platform);
  for (std::uint32_t gpu = 0; gpu < mmu::gpus_asked(trace); ++gpu) {
    judge(mmu::ReportedTables(trace, gpu), known, platform, judgement);
  }
}

// Calls the implicit segment of system memory the one behind its last.
class OnePastTheLast final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_PAGETABLELEVELDESC && NT_SUCCESS(status)) {
      static_cast<DXGK_PAGE_TABLE_LEVEL_DESC*>(query->pOutputData)->PageTableSegmentId = 33;
    }
    return status;
  }
};

const Rule kRule{
    .id = "MMU-009",
    .title = "Page tables lie in system memory or in a memory segment",
    .rule =
        "PageTableSegmentId and PagingProcessPageTableSegmentId of each level are 0, which is "
        "system memory, or a memory segment that the driver reports. A table that may lie in "
        "system memory has at most 4096 bytes, by PageTableSizeInBytes or by "
        "LeafPageTableSizeFor64KPagesInBytes.",
    .sources =
        "ns-d3dkmddi-_dxgk_page_table_level_desc.md # PageTableSegmentId\n"
        "ns-d3dkmddi-_dxgk_gpummucaps.md # LeafPageTableSizeFor64KPagesInBytes\n"
        "gpu-segments.md # System Memory Segments",
    .note =
        "Microsoft's compute-only sample names system memory by the number behind its only "
        "segment, and has tables of 16 KB there. The documents have 0 and 4 KB. No page says what "
        "becomes of a root of two levels that grows in system memory: of that one the segment "
        "alone is "
        "judged.",
    .applies = gpu_mmu,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::Pairs},
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
    .fault = {.about = "PageTableSegmentId is none of the driver's segments",
              .interposer = [] { return std::unique_ptr<Interposer>(new OnePastTheLast); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_009
