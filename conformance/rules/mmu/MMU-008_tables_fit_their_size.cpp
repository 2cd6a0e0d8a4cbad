// MMU-008: a table has 2^bits entries and fits its declared size.

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/pt/table_scenarios.h"

namespace wddm::mmu_008 {
namespace {

constexpr std::uint32_t kPage = 4096;

// Of two levels the root's size is what GetRootPageTableSize says. That a size has a byte for each
// entry proves nothing: it is judged where it is wrong in any case.
void judge_sizes(const mmu::ReportedTables& tables, Judgement& judgement) {
  if (!tables.complete()) return;
  const std::uint32_t fixed = tables.caps().levels == 2 ? 1 : tables.caps().levels;
  for (std::uint32_t i = 0; i < fixed; ++i) {
    const mmu::ReportedTables::Level& level = *tables.level(i);
    const std::uint32_t bytes = level.said.bytes;
    const bool room = level.said.index_bits < 32 && bytes >> level.said.index_bits != 0;
    if (bytes % kPage == 0 && room) continue;
    judgement.fail(level.event,
                   "PageTableSizeInBytes a multiple of 4096, with room for all entries of a table",
                   std::to_string(bytes) + " bytes for " + std::to_string(level.said.index_bits) +
                       " index bits, level " + std::to_string(i));
  }
}

// How many bytes an entry has the driver knows, the client's decoder, and the GPU that reads it.
void judge_entries(const Trace& trace, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::TableUpdated>()) {
    const auto update = trace.at<ev::TableUpdated>(index);
    const std::uint32_t bytes = update.entry_bytes != 0 ? update.entry_bytes : update.walked;
    if (bytes == 0) continue;
    judgement.reached(index);
    if (std::uint64_t{update.entries} * bytes <= update.table_bytes) continue;
    judgement.fail(
        index,
        "a table with room for its " + std::to_string(update.entries) + " entries of " +
            std::to_string(bytes) + " bytes",
        std::to_string(update.table_bytes) + " bytes, level " + std::to_string(update.level));
    return;
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (std::uint32_t gpu = 0; gpu < mmu::gpus_asked(trace); ++gpu) {
    judge_sizes(mmu::ReportedTables(trace, gpu), judgement);
  }
  judge_entries(trace, judgement);
  for (const std::uint32_t index : trace.of<ev::MemoryDiffers>()) {
    const auto differs = trace.at<ev::MemoryDiffers>(index);
    if (differs.operation != DXGK_OPERATION_UPDATE_PAGE_TABLE &&
        differs.operation != DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES) {
      continue;
    }
    judgement.fail(index, "an update writes inside its page table alone",
                   std::to_string(differs.length) + " bytes of other memory differ");
  }
}

class HalfAPage final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_PAGETABLELEVELDESC && NT_SUCCESS(status)) {
      static_cast<DXGK_PAGE_TABLE_LEVEL_DESC*>(query->pOutputData)->PageTableSizeInBytes = 2048;
    }
    return status;
  }
};

const Rule kRule{
    .id = "MMU-008",
    .title = "A table has 2^bits entries and fits its declared size",
    .evidence = Evidence::Boundary,
    .rule =
        "PageTableSizeInBytes of each level is a multiple of 4096 with room for "
        "2^PageTableIndexBitCount entries, and no update or copy of entries writes a byte outside "
        "of its "
        "table.",
    .sources =
        "gpu-virtual-address.md # bits of an address with two levels\n"
        "ns-d3dkmddi-_dxgk_page_table_level_desc.md # PageTableSizeInBytes",
    .note =
        "How large entries are a client says that reads them, or walks in the device's "
        "log. Where nobody does, what no size of an entry excuses is told, and the "
        "clause is not reached.",
    .applies = gpu_mmu,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::PairedRoot},
    .scenario = pt::kPagesComeAndGo,
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "tables are said to be half a page",
              .interposer = [] { return std::unique_ptr<Interposer>(new HalfAPage); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_008
