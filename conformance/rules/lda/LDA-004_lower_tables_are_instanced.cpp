// LDA-004: every table below the root is there once for each GPU of a link.

#include "conformance/rules/lda/asked_tables.h"
#include "conformance/rules/lda/link.h"
#include "conformance/rules/lda/link_scenarios.h"

namespace wddm::lda_004 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  lda::AskedTables tables;
  for (const std::uint32_t index :
       trace
           .of_any<ev::TableUpdated, ev::TableMoved, ev::AddressAnswered, ev::InstanceCompared>()) {
    if (trace.events()[index].kind != EventKind::InstanceCompared) {
      tables.follow(trace, index);
      continue;
    }
    const auto seen = trace.at<ev::InstanceCompared>(index);
    const auto* const lead = tables.of({0, seen.process, seen.first_place});
    if (seen.root != 0 || lead == nullptr) continue;
    judgement.reached(index);
    const auto* const own = tables.of({seen.physical_adapter, seen.process, seen.place});
    const auto expected = [&seen] {
      return "a level-" + std::to_string(seen.level) + " table of GPU " +
             std::to_string(seen.physical_adapter) + " for process " +
             std::to_string(seen.process) + ", with its own entries";
    };
    if (own == nullptr || !own->initialized()) {
      judgement.fail(index, expected(), "a table that was never initialized on that GPU");
    } else if (const std::uint32_t unlike = own->unlike(*lead, lda::SystemTables::OfEach);
               unlike != 0) {
      judgement.fail(
          index, expected(),
          std::to_string(unlike) + " entries that were not asked to lead where those of GPU 0 do");
    }
  }
}

const Rule kRule{
    .id = "LDA-004",
    .title = "Tables below the root are instanced for each GPU of a link",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "Every page table below the root has one instance on each GPU of a link, which is "
        "initialized and updated on that GPU. What its entries look like may differ, as memory of "
        "one GPU is local there and a peer's for all others.",
    .sources = "gpu-virtual-address.md # Creation of page table allocations (LinkInstanced)",
    .note =
        "Our host maps everything on all GPUs, so that an address leads to the same memory from "
        "each; a Windows that does not may leave entries of an instance invalid. Judged is what "
        "updates ask for. A driver that has one table for all GPUs, or writes what is for one to "
        "another, changes tables elsewhere (LDA-005), and where it writes one GPU's alone the "
        "entries of the other are not there (PT-010). Not compared are addresses that "
        "UpdateGpuVirtualAddress has mapped, which is for the GPU of its context, and where "
        "entries lead to tables in system memory: each GPU has its own there, at its own address.",
    .applies = lda::linked_page_tables,
    .check = check,
    .played_in = {Configured::Linked},
    .scenario = lda::kBothReadOneAddress,
    .control = lda::kLargePagesOfBoth,
    .fault = {.about = "leaf tables of commands are written on GPU 0 for all GPUs",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::OneLeafForLink,
              .also_fires = "LDA-011 ROOT-004 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::lda_004
