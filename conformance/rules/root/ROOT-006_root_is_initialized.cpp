// ROOT-006: all announced entries of a root are written before contexts get it.

#include "conformance/rules/pt/initialized_tables.h"
#include "conformance/rules/pt/table_scenarios.h"

namespace wddm::root_006 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  pt::InitializedTables known(platform);
  for (const std::uint32_t index : trace.of_any<ev::TableUpdated, ev::TableMoved, ev::RootSet>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::TableMoved) known.follow(trace.at<ev::TableMoved>(index));
    if (event.kind == EventKind::TableUpdated) known.follow(trace.at<ev::TableUpdated>(index));
    if (event.kind != EventKind::RootSet) continue;
    const auto set = trace.at<ev::RootSet>(index);
    judgement.reached(index);
    const std::uint32_t written = known.of({set.segment, set.place});
    if (written >= set.entries) continue;
    judgement.fail(
        index, "all " + std::to_string(set.entries) + " entries of the root written",
        std::to_string(written) + " were, of the root of process " + std::to_string(set.process));
  }
}

const Rule kRule{
    .id = "ROOT-006",
    .title = "All announced entries of a root are written before contexts get it",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "A new root has the size that the driver answers, in the segment of its level, and "
        "all the entries that SetRootPageTable announces are invalid or in use before a "
        "context gets it.",
    .sources = "gpu-virtual-address.md # Creation of page table allocations",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = pt::kProcessGetsTables,
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "half the entries of a new root are written",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::RootHalfInitialized}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_006
