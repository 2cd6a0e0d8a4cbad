// LDA-003: the root lies at one address on all GPUs of a link, and holds the same.

#include "conformance/rules/lda/asked_tables.h"
#include "conformance/rules/lda/link.h"
#include "conformance/rules/lda/link_scenarios.h"
#include "conformance/rules/scratch.h"

namespace wddm {
namespace {

void check_place(const Trace& trace, std::uint32_t index, std::uint32_t before,
                 Judgement& judgement) {
  const auto root = trace.at<ev::RootSet>(index);
  const auto other = trace.at<ev::RootSet>(before);
  // A root that moves is set for all contexts, one after the other.
  if (other.physical_adapter == root.physical_adapter) return;
  judgement.reached(index);
  if (other.place == root.place && other.segment == root.segment) return;
  judgement.fail(index, "the address of the root on GPU " + std::to_string(other.physical_adapter),
                 "another one on GPU " + std::to_string(root.physical_adapter), {before});
}

void check_entries(const ev::InstanceCompared& seen, std::uint32_t index,
                   const lda::AskedTables& tables, Judgement& judgement) {
  judgement.reached(index);
  const std::string expected = "the root of process " + std::to_string(seen.process) +
                               " as it is on GPU 0, at the same address";
  const std::string where = " on GPU " + std::to_string(seen.physical_adapter);
  if (seen.place != seen.first_place) {
    return judgement.fail(index, expected, "another address" + where);
  }
  const auto* const lead = tables.of({0, seen.process, seen.first_place});
  const auto* const mirror = tables.of({seen.physical_adapter, seen.process, seen.place});
  if (lead == nullptr || mirror == nullptr) {
    if (lead != mirror) judgement.fail(index, expected, "no entries at all" + where);
    return;
  }
  const std::uint32_t unlike = mirror->unlike(*lead);
  if (unlike == 0) return;
  judgement.fail(index, expected,
                 std::to_string(unlike) + " entries were asked to say something else" + where);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  lda::AskedTables tables;
  ScratchMap<std::uint32_t, std::uint32_t> set;  // by process: its last RootSet
  for (const std::uint32_t index :
       trace.of_any<ev::TableUpdated, ev::TableMoved, ev::RootSet, ev::InstanceCompared>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::RootSet) {
      const std::uint32_t process = trace.at<ev::RootSet>(index).process;
      const auto before = set.find(process);
      if (before != set.end()) check_place(trace, index, before->second, judgement);
      set[process] = index;
    } else if (event.kind == EventKind::InstanceCompared) {
      const auto seen = trace.at<ev::InstanceCompared>(index);
      if (seen.root != 0) check_entries(seen, index, tables, judgement);
    } else {
      tables.follow(trace, index);
    }
  }
}

const Rule kRule{
    .id = "LDA-003",
    .title = "Roots are mirrored on all GPUs of a link",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "The root page table of a process lies at the same segment address on every GPU of a link "
        "and has the same entries on all of them while a context of the process can run, so that "
        "one address of SetRootPageTable is good for any of them.",
    .sources = "gpu-virtual-address.md # Creation of page table allocations (LinkMirrored)",
    .note =
        "linked-display-adapter.md lets GPUs have page tables of different formats, in different "
        "segments. Read as: equal DXGK_PTEs at an equal offset; links whose GPUs differ are not "
        "played. Judged is what updates ask for; where a driver looks for its root, the walks of "
        "its GPUs show.",
    .applies = lda::linked_page_tables,
    .check = check,
    .played_in = {Configured::Linked},
    .scenario = lda::kBothReadOneAddress,
    .control = lda::kLinkAlone,
    .fault = {.about = "of the roots of a process only that of GPU 0 gets new entries",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::RootsDifferOnLink,
              .also_fires = "ROOT-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
