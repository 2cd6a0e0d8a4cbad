// LDA-002: caps, level descriptors and sizes of roots are those of the GPU that was asked for.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/lda/link.h"
#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/scratch.h"

namespace wddm::lda_002 {
namespace {

constexpr std::uint32_t kAperture = 1;  // of DXGK_SEGMENTFLAGS
constexpr std::uint32_t kMostLevels = 6;

std::string of_gpu(std::uint32_t physical_adapter) {
  return " of GPU " + std::to_string(physical_adapter);
}

// The segments that each GPU has, as it listed them last.
class Segments {
 public:
  void follow(const ev::SegmentReported& said) {
    if (said.segment == 0 || said.segment > 32) return;
    std::uint32_t& memory = of_[said.physical_adapter];
    if ((said.flags & kAperture) == 0) memory |= 1u << (said.segment - 1);
  }
  /// Unknown of a GPU that listed none.
  [[nodiscard]] bool known(std::uint32_t physical_adapter) const {
    return of_.find(physical_adapter) != of_.end();
  }
  /// Page tables can lie there; 0 is system memory.
  [[nodiscard]] bool has(std::uint32_t physical_adapter, std::uint32_t segment) const {
    if (segment == 0) return true;
    const auto found = of_.find(physical_adapter);
    return segment <= 32 && (found->second >> (segment - 1) & 1) != 0;
  }

 private:
  ScratchMap<std::uint32_t, std::uint32_t> of_;  // bits of memory segments, by GPU
};

// Every GPU of the link that has an MMU has an answer to whatever it is asked that exists.
void judge_refusals(const Trace& trace, const Platform& platform, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> levels;  // by GPU, as its caps say
  for (const std::uint32_t index :
       trace.of_any<ev::GpuMmuReported, ev::PageTableLevelReported, ev::RootSizeReported>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::GpuMmuReported) {
      const auto said = Trace::as<ev::GpuMmuReported>(event);
      if (said.physical_adapter >= platform.linked_adapters) continue;
      if (!lda::succeeded(said.status) && mmu::says_it_has_none(trace, said.physical_adapter)) {
        continue;
      }
      judgement.reached(index);
      if (lda::succeeded(said.status)) {
        levels[said.physical_adapter] = std::min(said.levels, kMostLevels);
      } else {
        judgement.fail(index, "capabilities of the GPU MMU" + of_gpu(said.physical_adapter),
                       "the query failed");
      }
    } else if (event.kind == EventKind::PageTableLevelReported) {
      const auto said = Trace::as<ev::PageTableLevelReported>(event);
      const auto has = levels.find(said.physical_adapter);
      if (has == levels.end() || said.level >= has->second) continue;
      judgement.reached(index);
      if (lda::succeeded(said.status)) continue;
      judgement.fail(
          index,
          "a descriptor of level " + std::to_string(said.level) + of_gpu(said.physical_adapter),
          "the query failed");
    } else {
      const auto said = Trace::as<ev::RootSizeReported>(event);
      if (said.physical_adapter >= platform.linked_adapters) continue;
      if (said.bytes == 0 && mmu::says_it_has_none(trace, said.physical_adapter)) continue;
      judgement.reached(index);
      if (said.bytes != 0) continue;
      judgement.fail(index, "the size of a root" + of_gpu(said.physical_adapter), "0 bytes");
    }
  }
}

// A segment that the GPU does not have is another one's.
void judge_segments(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Segments segments;
  for (const std::uint32_t index : trace.of<ev::SegmentReported>()) {
    segments.follow(trace.at<ev::SegmentReported>(index));
  }
  for (const std::uint32_t index : trace.of<ev::PageTableLevelReported>()) {
    const auto said = trace.at<ev::PageTableLevelReported>(index);
    if (!lda::succeeded(said.status) || said.physical_adapter >= platform.linked_adapters) continue;
    if (said.physical_adapter == 0 || !segments.known(said.physical_adapter)) continue;
    judgement.reached(index);
    for (const std::uint32_t segment : {said.segment, said.paging_segment}) {
      if (segments.has(said.physical_adapter, segment)) continue;
      judgement.fail(index,
                     "a memory segment" + of_gpu(said.physical_adapter) + " for tables of level " +
                         std::to_string(said.level),
                     "segment " + std::to_string(segment) + ", which that GPU does not have");
      break;
    }
  }
}

// An entry that names another owner of the right page has the right form (LDA-006).
bool some_in_form(const Trace& trace, const pt::CarriedOut& one) {
  for (const EntryDifference& differs : trace.blob<EntryDifference>(trace.events()[one.event])) {
    if (differs.expected.flags == differs.seen.flags &&
        differs.expected.address == differs.seen.address) {
      return true;
    }
  }
  return false;
}

// Tables built by its descriptors are what the GPU is said to have.
void judge_tables(const Trace& trace, Judgement& judgement) {
  pt::for_each_carried_out(trace, [&](const pt::CarriedOut& one) {
    if (one.compared.physical_adapter == 0 || !one.read()) return;
    judgement.reached(one.event);
    if (one.compared.wrong < one.compared.decoded || one.never_came()) return;
    if (some_in_form(trace, one)) return;
    judgement.fail(one.event,
                   "entries in the form" + of_gpu(one.compared.physical_adapter) + " in its table",
                   "none that says what was asked for: " + pt::text_of(one.update), {one.built});
  });
}

// By the DeviceHandle that Dxgkrnl gave each of them when it started.
void judge_handles(const Trace& trace, const Platform& platform, Judgement& judgement) {
  constexpr std::uint32_t kNoHandle = 0, kItsOwn = 1;  // PhysicalAdapterReported::handle
  for (const std::uint32_t index : trace.of<ev::PhysicalAdapterReported>()) {
    const auto said = trace.at<ev::PhysicalAdapterReported>(index);
    if (!lda::succeeded(said.status) || said.physical_adapter >= platform.linked_adapters) continue;
    judgement.reached(index);
    if (said.handle == kItsOwn) continue;
    judgement.fail(
        index, "the DeviceHandle" + of_gpu(said.physical_adapter) + " as DxgkPhysicalAdapterHandle",
        said.handle == kNoHandle ? "NULL" : "another");
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  judge_handles(trace, platform, judgement);
  judge_refusals(trace, platform, judgement);
  judge_segments(trace, platform, judgement);
  judge_tables(trace, judgement);
}

// A driver that looks at no PhysicalAdapterIndex.
class AnswersForTheLead final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    DXGKARG_QUERYADAPTERINFO altered = *query;
    DXGK_QUERYGPUMMUCAPSIN caps{};
    DXGK_QUERYPAGETABLELEVELDESCIN level{};
    if (query->Type == DXGKQAITYPE_GPUMMUCAPS) altered.pInputData = &caps;
    if (query->Type == DXGKQAITYPE_PAGETABLELEVELDESC) {
      level.LevelIndex =
          static_cast<const DXGK_QUERYPAGETABLELEVELDESCIN*>(query->pInputData)->LevelIndex;
      altered.pInputData = &level;
    }
    return Interposer::QueryAdapterInfo(adapter, &altered);
  }
  SIZE_T GetRootPageTableSize(HANDLE adapter, DXGKARG_GETROOTPAGETABLESIZE* size) override {
    const UINT asked = size->PhysicalAdapterIndex;
    size->PhysicalAdapterIndex = 0;
    const SIZE_T bytes = Interposer::GetRootPageTableSize(adapter, size);
    size->PhysicalAdapterIndex = asked;
    return bytes;
  }
};

const Rule kRule{
    .id = "LDA-002",
    .title = "Answers are those of the GPU that was asked for",
    .rule =
        "PhysicalAdapterIndex of DXGK_QUERYGPUMMUCAPSIN, DXGK_QUERYPAGETABLELEVELDESCIN and "
        "DXGKARG_GETROOTPAGETABLESIZE says whose page tables are asked about. Every GPU of a link "
        "that has an MMU answers, its segments and DxgkPhysicalAdapterHandle are its own, and "
        "tables that are built as it says are what it has.",
    .sources =
        "linked-display-adapter.md # GpuMmu support\n"
        "ns-d3dkmddi-_dxgk_querygpummucapsin.md\n"
        "ns-d3dkmddi-_dxgkarg_getrootpagetablesize.md # PhysicalAdapterIndex\n"
        "ns-d3dkmddi-_dxgk_physicaladaptercaps.md # DxgkPhysicalAdapterHandle",
    .note =
        "That an answer is another GPU's can be seen where they differ: by a segment that the GPU "
        "does not list, or by entries that are none in its tables. A GPU may have an IOMMU alone; "
        "whether it is asked then no page says, and what it answers is not judged. That a GPU "
        "which is not there has no answer is LDA-012.",
    .applies = lda::linked_gpu_mmu,
    .check = check,
    .played_in = {Configured::LinkedUnlike},
    .scenario = R"(
about: the GPUs of a link have different memory, and are asked again
ops:
- prefill
- requery
)",
    .control = R"(
about: the link starts anew
ops:
- cycle: {count: 1, depth: add}
- start
)",
    .fault = {.about = "PhysicalAdapterIndex is not looked at",
              .interposer = [] { return std::unique_ptr<Interposer>(new AnswersForTheLead); },
              .also_fires = "LDA-012 MMU-003 MMU-009"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::lda_002
