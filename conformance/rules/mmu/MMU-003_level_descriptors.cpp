// MMU-003: one complete level descriptor for every level.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/reported_tables.h"

namespace wddm::mmu_003 {
namespace {

constexpr std::uint32_t kInvalidParameter = 0xC000000D;  // STATUS_INVALID_PARAMETER

bool same(const ev::PageTableLevelReported& one, const ev::PageTableLevelReported& other) {
  return one.index_bits == other.index_bits && one.segment == other.segment &&
         one.paging_segment == other.paging_segment && one.bytes == other.bytes &&
         one.alignment == other.alignment;
}

bool in_range(const ev::PageTableLevelReported& said, std::uint32_t levels) {
  return said.level < levels && said.physical_adapter == 0;
}

std::string question(const ev::PageTableLevelReported& said) {
  return "LevelIndex " + std::to_string(said.level) + ", PhysicalAdapterIndex " +
         std::to_string(said.physical_adapter);
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const mmu::ReportedTables tables(trace);
  if (tables.event() == kNone) return;
  for (const std::uint32_t index : trace.of<ev::PageTableLevelReported>()) {
    const auto said = trace.at<ev::PageTableLevelReported>(index);
    // What other GPUs of a link answer is LDA-002.
    if (said.physical_adapter != 0 && said.physical_adapter < platform.linked_adapters) continue;
    judgement.reached(index);
    if (!in_range(said, tables.caps().levels)) {
      if (said.status != kInvalidParameter) {
        judgement.fail(index, "STATUS_INVALID_PARAMETER: there is no such level or adapter",
                       status_name(said.status) + " for " + question(said), {tables.event()});
      }
      continue;
    }
    if (!mmu::answered(said.status)) {
      judgement.fail(index, "a descriptor for every level below PageTableLevelCount",
                     status_name(said.status) + " for " + question(said), {tables.event()});
      continue;
    }
    const mmu::ReportedTables::Level* const first = tables.level(said.level);
    if (first != nullptr && !same(said, first->said)) {
      judgement.fail(index, "all five members written, the same each time",
                     "another answer than the first for " + question(said) +
                         ", to a buffer with other bytes in it",
                     {first->event});
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
        "are taken to be right, as Microsoft's compute-only sample does.",
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
