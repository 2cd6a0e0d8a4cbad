// MMU-003: one complete level descriptor for every level.

#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/answers_repeat.h"
#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/scratch.h"

namespace wddm::mmu_003 {
namespace {

bool same(const ev::PageTableLevelReported& one, const ev::PageTableLevelReported& other) {
  return one.index_bits == other.index_bits && one.segment == other.segment &&
         one.paging_segment == other.paging_segment && one.bytes == other.bytes &&
         one.alignment == other.alignment;
}

std::string question(const ev::PageTableLevelReported& said) {
  return "LevelIndex " + std::to_string(said.level) + ", PhysicalAdapterIndex " +
         std::to_string(said.physical_adapter);
}

// What the first GPU was said to have when it was asked first.
class Answers {
 public:
  Answers(const Trace& trace, Judgement& judgement) : judgement_(judgement), repeat_(trace) {}

  void on(std::uint32_t index, const ev::GpuMmuReported& said) {
    if (said.physical_adapter != 0 || !mmu::answered(said.status)) return;
    if (caps_ != kNone && !repeat_.has_less()) return;
    caps_ = index;
    levels_ = said.levels;
  }
  void on(std::uint32_t index, const ev::PageTableLevelReported& said) {
    if (caps_ == kNone) return;
    judgement_.reached(index);
    if (said.level >= levels_ || said.physical_adapter != 0) {
      if (mmu::answered(said.status)) {
        judgement_.fail(index, "STATUS_INVALID_PARAMETER: there is no such level or adapter",
                        status_name(said.status) + " for " + question(said), {caps_});
      }
      return;
    }
    if (!mmu::answered(said.status)) {
      judgement_.fail(index, "a descriptor for every level below PageTableLevelCount",
                      status_name(said.status) + " for " + question(said), {caps_});
      return;
    }
    const auto [first, is_first] = first_.try_emplace(said.level, index, said);
    if (is_first || repeat_.has_less() || same(said, first->second.second)) return;
    judgement_.fail(index, "all five members written, the same each time",
                    "another answer than the first for " + question(said) +
                        ", to a buffer with other bytes in it",
                    {first->second.first});
  }
  void on_other(std::uint32_t index) {
    if (!repeat_.begin_anew(index)) return;
    caps_ = kNone;
    first_.clear();
  }

 private:
  Judgement& judgement_;
  mmu::AnswersRepeat repeat_;
  std::uint32_t caps_ = kNone;  // event
  std::uint32_t levels_ = 0;
  // By level: the event and what it says.
  ScratchMap<std::uint32_t, std::pair<std::uint32_t, ev::PageTableLevelReported>> first_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Answers answers(trace, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::EntryReturned, ev::SurpriseRemoved, ev::GpuMmuReported,
                    ev::PageTableLevelReported>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::GpuMmuReported) {
      answers.on(index, trace.at<ev::GpuMmuReported>(index));
    } else if (kind != EventKind::PageTableLevelReported) {
      answers.on_other(index);
    } else {
      const auto said = trace.at<ev::PageTableLevelReported>(index);
      // What other GPUs of a link answer is LDA-002.
      if (said.physical_adapter != 0 && said.physical_adapter < platform.linked_adapters) continue;
      answers.on(index, said);
    }
  }
}

// Takes the first word of the input for the adapter: every level is described as the leaf.
class WordsExchanged final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    if (query->Type != DXGKQAITYPE_PAGETABLELEVELDESC) {
      return Interposer::QueryAdapterInfo(adapter, query);
    }
    auto in = *static_cast<const DXGK_QUERYPAGETABLELEVELDESCIN*>(query->pInputData);
    std::swap(in.LevelIndex, in.PhysicalAdapterIndex);
    if (in.PhysicalAdapterIndex != 0) in.PhysicalAdapterIndex = 0;
    DXGKARG_QUERYADAPTERINFO changed = *query;
    changed.pInputData = &in;
    return Interposer::QueryAdapterInfo(adapter, &changed);
  }
};

const Rule kRule{
    .id = "MMU-003",
    .title = "One complete level descriptor for every level",
    .level = Level::Should,
    .rule =
        "DXGKQAITYPE_PAGETABLELEVELDESC succeeds for every LevelIndex below PageTableLevelCount "
        "and writes all five members of DXGK_PAGE_TABLE_LEVEL_DESC, the same each time. A level "
        "or physical adapter that does not exist is refused with STATUS_INVALID_PARAMETER.",
    .sources =
        "gpu-virtual-address.md # introduction\n"
        "ns-d3dkmddi-_dxgk_querypagetableleveldescin.md\n"
        "nc-d3dkmddi-dxgkddi_queryadapterinfo.md # Return value",
    .note =
        "The page of the input structure has the texts of its two members exchanged; the names "
        "are taken to be right, as Microsoft's compute-only sample does. Answers are compared with "
        "the first of the same device with the same resources, until calls of the driver are made "
        "to fail. Any failure is taken for STATUS_INVALID_PARAMETER, as in CAPS-011: no page has "
        "this query in mind, hence should.",
    .applies = gpu_mmu,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::Pairs},
    .scenario = R"(
about: every level is asked for, and some that are not there
ops:
- start
)",
    .control = R"(
about: asked again, the answers are the same
ops:
- requery
)",
    .fault = {.about = "the two words of the input are taken for each other",
              .interposer = [] { return std::unique_ptr<Interposer>(new WordsExchanged); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_003
