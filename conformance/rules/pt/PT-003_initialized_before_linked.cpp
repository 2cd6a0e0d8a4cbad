// PT-003: a table is written whole before anything leads to it.

#include "conformance/rules/pt/initialized_tables.h"
#include "conformance/rules/pt/table_scenarios.h"

namespace wddm::pt_003 {
namespace {

void judge_links(const Trace& trace, std::uint32_t index, const pt::InitializedTables& known,
                 Judgement& judgement) {
  const auto update = trace.at<ev::TableUpdated>(index);
  for (const EntryRecord& entry : trace.blob<EntryRecord>(trace.events()[index])) {
    const bool leads_to_table =
        pt::leads_somewhere(entry) && (entry.flags & entry_flag::kLargePage) == 0;
    if (!leads_to_table) continue;
    judgement.reached(index);
    const pt::TableAt below = known.below(entry);
    if (known.whole(below)) continue;
    const std::uint32_t written = known.of(below);
    judgement.fail(
        index, "a table that updates with InitialUpdate have written whole",
        (written == 0 ? std::string("one that none has: ")
                      : "one of which " + std::to_string(written) + " entries are written: ") +
            pt::text_of(entry) + ", by an update of " + pt::text_of(update));
    return;
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  pt::InitializedTables known(platform);
  for (const std::uint32_t index : trace.of_any<ev::TableUpdated, ev::TableMoved>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::TableMoved) {
      known.follow(trace.at<ev::TableMoved>(index));
      continue;
    }
    const auto update = trace.at<ev::TableUpdated>(index);
    if (update.level != 0) judge_links(trace, index, known, judgement);
    known.follow(update);
  }
}

const Rule kRule{
    .id = "PT-003",
    .title = "A table is written whole before anything leads to it",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "After a page table is created, or comes back to memory, updates with InitialUpdate "
        "write its entries before an entry of the level above or SetRootPageTable names it.",
    .sources =
        "gpu-virtual-address.md # Creation of page table allocations\n"
        "ns-d3dkmddi-_dxgk_updatepagetableflags.md # InitialUpdate",
    .note = "Of roots, which SetRootPageTable names, ROOT-006 judges it.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = pt::kProcessGetsTables,
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "leaf tables are linked as their memory was before",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::UninitializedTables}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_003
