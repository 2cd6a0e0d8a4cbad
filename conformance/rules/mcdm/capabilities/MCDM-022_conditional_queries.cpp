// MCDM-022: queries that a capability makes necessary succeed, and say something sound.

#include "conformance/rules/mcdm/compute_only.h"
#include "conformance/rules/mcdm/undisturbed.h"

namespace wddm::mcdm_022 {
namespace {

bool succeeds(std::uint32_t status) {
  return NT_SUCCESS(static_cast<NTSTATUS>(status));
}

// ---- Power components: those that there are, and one behind the last.
void judge(std::uint32_t index, const ev::PowerComponentAnswered& answered, bool undisturbed,
           Judgement& judgement) {
  judgement.reached(index);
  const std::string which =
      "component " + std::to_string(answered.component) + " of " + std::to_string(answered.count);
  const bool there = answered.component < answered.count;
  if (there && !succeeds(answered.status) && undisturbed) {
    judgement.fail(index, "a description of each power component",
                   which + ": " + status_name(answered.status));
  }
  if (!there && succeeds(answered.status)) {
    judgement.fail(index, "a failure for a power component that is not there",
                   which + ": it succeeds");
  }
  if (answered.behind != 0) {
    judgement.fail(index, "nothing behind the structure is written",
                   which + ": " + std::to_string(answered.behind) + " bytes");
  }
}

// ---- Broken memory.
const char* wrong_with(const DXGK_MEMORYRANGE& range, std::uint64_t size, std::uint32_t page) {
  if (range.SizeInBytes == 0) return "a range of no bytes";
  if (range.SegmentOffset % page != 0) return "a SegmentOffset inside of a page";
  if (range.SizeInBytes % page != 0) return "a SizeInBytes of less than whole pages";
  const bool inside =
      range.SegmentOffset <= size && range.SizeInBytes <= size - range.SegmentOffset;
  return inside ? nullptr : "a range beyond the segment";
}

void judge(const Trace& trace, std::uint32_t index, bool undisturbed, Judgement& judgement) {
  const auto answered = trace.at<ev::SegmentStateAnswered>(index);
  judgement.reached(index);
  const std::string where = "segment " + std::to_string(answered.segment) + ": ";
  if (!succeeds(answered.status)) {
    if (!undisturbed) return;
    return judgement.fail(index, "the invalid ranges of a segment that has some",
                          where + status_name(answered.status));
  }
  if (answered.behind != 0) {
    judgement.fail(index, "no more ranges than there is room for",
                   where + std::to_string(answered.behind) + " bytes behind them");
  }
  for (const DXGK_MEMORYRANGE& range : trace.blob<DXGK_MEMORYRANGE>(trace.events()[index])) {
    const char* const wrong = wrong_with(range, answered.size, answered.page);
    if (wrong == nullptr) continue;
    return judgement.fail(index, "ranges of whole pages inside of the segment", where + wrong);
  }
}

// ---- IOMMU isolation.

// Where other bytes stood before, the upper half of any size is another one, and so is the lowest
// byte.
bool is_half_written(const ev::InfoAnswered& area) {
  constexpr std::uint32_t kLeast = 5;
  return area.output_bytes == sizeof(DXGK_FRAMEBUFFERSAVEAREA) && area.changed < kLeast;
}

void judge(std::uint32_t index, const ev::InfoAnswered& answered, bool undisturbed,
           Judgement& judgement) {
  const bool area = answered.type == DXGKQAITYPE_FRAMEBUFFERSAVESIZE;
  if (!area && answered.type != DXGKQAITYPE_HARDWARERESERVEDRANGES) return;
  if (answered.how == static_cast<std::uint32_t>(InfoQuestion::Short)) return;  // CAPS-017
  const std::string name =
      area ? "DXGKQAITYPE_FRAMEBUFFERSAVESIZE" : "DXGKQAITYPE_HARDWARERESERVEDRANGES";
  judgement.reached(index);
  if (!succeeds(answered.status)) {
    if (!undisturbed) return;
    return judgement.fail(index, "an answer to " + name + ", as IoMmuSecureModeSupported",
                          status_name(answered.status));
  }
  if (answered.behind != 0) {
    judgement.fail(index, "nothing behind the answer to " + name + " is written",
                   std::to_string(answered.behind) + " bytes");
  }
  if (area && answered.first % 4096 != 0) {
    judgement.fail(index, "a MaximumSize of whole pages", std::to_string(answered.first));
  }
  if (area && is_half_written(answered)) {
    judgement.fail(index, "all of MaximumSize", "some of its bytes are as they were");
  }
  if (!area && answered.unlike != 0) {
    judgement.fail(index, "as many ranges in the second call as the first has said",
                   std::to_string(answered.first));
  }
  // Their array holds zeros before, and no range is all zeros.
  const bool array = answered.how == static_cast<std::uint32_t>(InfoQuestion::Again);
  if (!area && array && answered.output_bytes != 0 && answered.changed == 0) {
    judgement.fail(index, "the ranges that the first call has announced", "none is written");
  }
}

// ---- Page tables, of levels and GPUs that there are: others are asked for too, and MMU-003 judges
// those.
void judge(std::uint32_t index, const char* name, std::uint32_t status, bool undisturbed,
           Judgement& judgement) {
  judgement.reached(index);
  if (succeeds(status) || !undisturbed) return;
  judgement.fail(index, std::string("an answer to ") + name + ", as GpuMmuSupported",
                 status_name(status));
}

void judge_page_tables(const Trace& trace, const Platform& platform, bool undisturbed,
                       Judgement& judgement) {
  const std::uint32_t gpus = platform.linked_adapters == 0 ? 1 : platform.linked_adapters;
  for (const std::uint32_t index : trace.of<ev::GpuMmuReported>()) {
    const auto reported = trace.at<ev::GpuMmuReported>(index);
    if (reported.physical_adapter >= gpus) continue;
    judge(index, "DXGKQAITYPE_GPUMMUCAPS", reported.status, undisturbed, judgement);
  }
  for (const std::uint32_t index : trace.of<ev::PageTableLevelReported>()) {
    const auto reported = trace.at<ev::PageTableLevelReported>(index);
    if (reported.physical_adapter >= gpus || reported.level >= platform.page_table_levels) continue;
    judge(index, "DXGKQAITYPE_PAGETABLELEVELDESC", reported.status, undisturbed, judgement);
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const bool calm = undisturbed(trace);
  for (const std::uint32_t index :
       trace.of_any<ev::PowerComponentAnswered, ev::SegmentStateAnswered, ev::InfoAnswered>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PowerComponentAnswered) {
      judge(index, Trace::as<ev::PowerComponentAnswered>(event), calm, judgement);
    } else if (event.kind == EventKind::SegmentStateAnswered) {
      judge(trace, index, calm, judgement);
    } else {
      judge(index, Trace::as<ev::InfoAnswered>(event), calm, judgement);
    }
  }
  if (platform.compute_only) judge_page_tables(trace, platform, calm, judgement);
}

NotApplicable with_capabilities(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (platform.compute_only || platform.runtime_power || platform.secure_mode) return nullptr;
  return "not a device that only computes, and neither power management nor IOMMU isolation";
}

// A driver that takes bytes for pages.
class SaveSizeInBytes final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_FRAMEBUFFERSAVESIZE && NT_SUCCESS(status)) {
      static_cast<DXGK_FRAMEBUFFERSAVEAREA*>(query->pOutputData)->MaximumSize = 1000;
    }
    return status;
  }
};

const Rule kRule{
    .id = "MCDM-022",
    .title = "Conditional query types succeed with well-formed content",
    .rule =
        "With power components POWERCOMPONENTINFO succeeds for each and fails for the one behind "
        "the last. A segment with invalid ranges names them by SEGMENTMEMORYSTATE, in whole pages "
        "of it. With a GPU MMU of a device that only computes GPUMMUCAPS and PAGETABLELEVELDESC of "
        "each level succeed. With "
        "IoMmuSecureModeSupported FRAMEBUFFERSAVESIZE is one of whole pages, and "
        "HARDWARERESERVEDRANGES lists the ranges, as many as it has announced.",
    .sources =
        "mcdm-implementation-guidelines.md # Query adapter info requirements\n"
        "ns-d3dkmddi-_dxgk_querysegmentmemorystate.md\n"
        "ns-d3dkmddi-_dxgk_memoryrange.md # fields\n"
        "ns-d3dkmddi-_dxgk_framebuffersavearea.md # MaximumSize\n"
        "iommu-based-gpu-isolation.md # Frame buffer reservation, Hardware reserved memory",
    .note =
        "The guidelines make page-table queries depend on virtual addresses; with an IOMMU alone "
        "there are no tables, so GpuMmuSupported is meant. That reserved ranges keep clear of the "
        "system's memory is not judged: this machine reserves none.",
    .unreached =
        "the driver has no power components, no segment with invalid ranges and no GPU MMU",
    .applies = with_capabilities,
    .check = check,
    .played_in = {Configured::Managed},
    .scenario = R"(
about: every query
ops:
- requery
)",
    .control = R"(
about: the adapter starts
ops:
- start
)",
    .fault = {.about = "FRAMEBUFFERSAVESIZE is no multiple of a page",
              .interposer = [] { return std::unique_ptr<Interposer>(new SaveSizeInBytes); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_022
