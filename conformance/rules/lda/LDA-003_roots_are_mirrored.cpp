// LDA-003: the root lies at one address on all GPUs of a link, and holds the same.

#include <algorithm>

#include "conformance/rules/lda/asked_tables.h"
#include "conformance/rules/lda/link.h"
#include "conformance/rules/lda/link_scenarios.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::lda_003 {
namespace {

// Where contexts look for the root of their process. One that moves is set for all of them, one
// after the other, before any of them runs again.
class Places {
 public:
  void follow(std::uint32_t index, const ev::RootSet& root) { set_[root.context] = {index, root}; }
  void follow(const ev::DdiEntered& call) {
    if (call.ddi == static_cast<std::uint32_t>(DdiId::StartDevice)) set_.clear();
    if (call.ddi == static_cast<std::uint32_t>(DdiId::DestroyContext)) set_.erase(call.object);
  }
  void judge(std::uint32_t index, const ev::Submitted& submitted, Judgement& judgement) const {
    const auto own = set_.find(submitted.context);
    if (own == set_.end()) return;
    const auto& [set, root] = own->second;
    for (const auto& [context, other] : set_) {
      if (other.root.process != root.process) continue;
      if (other.root.physical_adapter == root.physical_adapter) continue;
      judgement.reached(index);
      if (other.root.place == root.place && other.root.segment == root.segment) continue;
      judgement.fail(
          index, "the address of the root on GPU " + std::to_string(other.root.physical_adapter),
          "another one on GPU " + std::to_string(root.physical_adapter),
          {std::min(set, other.event), std::max(set, other.event)});
    }
  }

 private:
  struct Set {
    std::uint32_t event = kNone;
    ev::RootSet root{};
  };
  ScratchMap<std::uint32_t, Set> set_;  // by context
};

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
  Places places;
  in_order_of_calls<ev::TableUpdated, ev::TableMoved, ev::RootSet, ev::InstanceCompared,
                    ev::DdiEntered>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::RootSet) {
      places.follow(index, trace.at<ev::RootSet>(index));
    } else if (event.kind == EventKind::DdiEntered) {
      places.follow(trace.at<ev::DdiEntered>(index));
    } else if (event.kind == EventKind::Submitted) {
      places.judge(index, trace.at<ev::Submitted>(index), judgement);
    } else if (event.kind == EventKind::InstanceCompared) {
      const auto seen = trace.at<ev::InstanceCompared>(index);
      if (seen.root != 0) check_entries(seen, index, tables, judgement);
    } else {
      tables.follow(trace, index);
    }
  });
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
        "Addresses are compared where work is submitted: a root that moves is set for one context "
        "after the other. linked-display-adapter.md lets GPUs have page tables of different "
        "formats, in different "
        "segments. Read as: equal DXGK_PTEs at an equal offset; links whose GPUs differ are not "
        "played. One address of system memory is one table, so directories there are written once "
        "for each GPU and shared; leaf tables there are of one GPU each, below directories in the "
        "memory of GPUs. "
        "Judged is what updates ask for; where a driver looks for its root is LDA-011.",
    .applies = lda::linked_page_tables,
    .check = check,
    .played_in = {Configured::Linked},
    .scenario = R"(
about: contexts of both GPUs of a link use one allocation, and go on when the root has moved, twice, and once more while a packet of the other GPU is stopped
ops:
- create_context: {context: 1}
- physical_adapter: {index: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, pages: 3, place: local}
- create_allocation: {allocation: 2, pages: 3, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 8192, value: 0x11223344}
- idle
- move_table: {allocation: 1, level: 5}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 4096, source_offset: 4096, size: 4096}
- idle
# Contexts of the other GPU that ran with the root before, on an engine that pages and on one that
# need not.
- create_context: {context: 3, node: 1}
- render: {context: 3}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 2, offset: 0, size: 1024, value: 0x55667788}
- idle
- move_table: {allocation: 1, level: 5}
- render: {context: 2}
- bind: {slot: 2, allocation: 2}
- add: {slot: 2, offset: 0, value: 1}
- render: {context: 3}
- bind: {slot: 2, allocation: 2}
- add: {slot: 2, offset: 4, value: 1}
- idle
- render: {context: 2}
- bind: {slot: 2, allocation: 2}
- add: {slot: 2, offset: 8, value: 1}
- spin: {units: 3000}
- add: {slot: 2, offset: 12, value: 1}
# What pages for both GPUs comes first: the packet is far longer than that takes.
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 50}
- move_table: {allocation: 1, level: 5}
- advance: {units: 400}
- idle
)",
    .control = lda::kLinkAlone,
    .fault = {.about = "of the roots of a process only that of GPU 0 gets new entries",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::RootsDifferOnLink,
              .also_fires = "LDA-011 ROOT-004 ROOT-010 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::lda_003
