// PT-019: a paging buffer that was preempted does the same when it is submitted again.
//
// Judged are operations whose last packet was submitted more than once, by the entries of their
// table or by memory. Where one that ran once has done wrong too, it is not for the second run.

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pt_019 {
namespace {

// Packets of paging that were submitted again.
class Again {
 public:
  explicit Again(const Trace& trace) {
    for (const std::uint32_t index : trace.of<ev::Submitted>()) {
      const auto submitted = trace.at<ev::Submitted>(index);
      if (submitted.paging != 0 && submitted.again != 0) packets_.insert(submitted.packet);
    }
  }
  [[nodiscard]] bool has(std::uint32_t packet) const { return packets_.contains(packet); }

 private:
  ScratchSet<std::uint32_t> packets_;
};

bool is_virtual(std::uint32_t operation) {
  return operation == DXGK_OPERATION_VIRTUAL_TRANSFER || operation == DXGK_OPERATION_VIRTUAL_FILL;
}

bool is_wrong(const pt::CarriedOut& one) {
  return one.read() && (one.compared.wrong != 0 || one.compared.outside != 0);
}

void judge_updates(const Trace& trace, const Again& again, Judgement& judgement) {
  bool wrong_at_once = false;
  pt::for_each_carried_out(trace, [&](const pt::CarriedOut& one) {
    wrong_at_once |= is_wrong(one) && !again.has(one.compared.packet);
  });
  pt::for_each_carried_out(trace, [&](const pt::CarriedOut& one) {
    if (!one.read() || !again.has(one.compared.packet)) return;
    if (is_wrong(one) && wrong_at_once) return;
    judgement.reached(one.event);
    if (!is_wrong(one)) return;
    judgement.fail(one.event, "the entries of an update that runs again, as by a single run",
                   std::to_string(one.compared.wrong) + " of " +
                       std::to_string(one.compared.decoded) + " are others, and " +
                       std::to_string(one.compared.outside) + " bytes beside them changed, by " +
                       pt::text_of(one.update),
                   {one.built});
  });
}

void judge_memory(const Trace& trace, const Again& again, Judgement& judgement) {
  const auto& checked = trace.ledger<page::CheckedOperations>();
  for (const auto& found : checked.found()) {
    const page::CheckedOperation& operation = checked.of(found);
    const bool differs = trace.events()[found.event].kind == EventKind::MemoryDiffers;
    const bool once = !again.has(operation.done.packet);
    if (differs && once && is_virtual(operation.done.operation)) return;
  }
  page::judge_memory(trace, judgement, "memory as by a single run of the operation",
                     [&](const page::CheckedOperation& operation) {
                       return is_virtual(operation.done.operation) && !operation.disturbed &&
                              again.has(operation.done.packet);
                     });
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const Again again(trace);
  judge_updates(trace, again, judgement);
  judge_memory(trace, again, judgement);
}

// A driver that throws away what it recorded once it was submitted.
class RecordsOnce final : public Interposer {
 public:
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    DXGKARG_SUBMITCOMMANDVIRTUAL altered = *submit;
    if (submit->Flags.Paging && submit->Flags.Resubmission) altered.Flags.NullRendering = 1;
    return Interposer::SubmitCommandVirtual(adapter, &altered);
  }
};

NotApplicable preempted_updates(const Platform& platform) {
  if (const NotApplicable reason = page_tables(platform)) return reason;
  return platform.scheduling.preemption_aware() ? nullptr : "PreemptionAware is 0";
}

const Rule kRule{
    .id = "PT-019",
    .title = "Updates, fills and transfers survive being executed twice",
    .evidence = Evidence::Memory,
    .rule =
        "A paging buffer that a preemption took from the engine is submitted again under its own "
        "fence, whether none, some or all of it has run. Page tables and memory are then as after "
        "a single run: what was recorded stays as it is until the packet has ended.",
    .sources =
        "gpu-preemption.md # Memory mapping considerations (paging command fence IDs)\n"
        "ns-d3dkmddi-_dxgk_submitcommandflags.md # Resubmission",
    .note =
        "An operation of several buffers counts by its last one. An operation that does wrong at "
        "its only run too is judged by what it is (PTE-001, VPAGE-001, VPAGE-002).",
    .unreached = "no paging packet was preempted and ran again",
    .applies = preempted_updates,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::Pages64K, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: page tables are updated and contents moved, with preemptions in between
ops:
# Of the node that pages, whichever it is. On a driver with fewer nodes what they are asked is
# skipped.
- create_allocation: {allocation: 0, pages: 40, place: local}
- cpu_write: {allocation: 0, offset: 0, value: 0x01010101}
- cpu_write: {allocation: 0, offset: 163836, value: 0x02020202}
- make_resident: {allocation: 0}
- advance: {units: 1}
- preempt: {node: 0}
- preempt: {node: 1}
- preempt: {node: 2}
- advance: {units: 2}
- preempt: {node: 0}
- preempt: {node: 1}
- preempt: {node: 2}
- advance: {units: 3}
- preempt: {node: 0}
- preempt: {node: 1}
- preempt: {node: 2}
- advance: {units: 3}
- preempt: {node: 0}
- preempt: {node: 1}
- preempt: {node: 2}
- advance: {units: 5}
- preempt: {node: 0}
- preempt: {node: 1}
- preempt: {node: 2}
- advance: {units: 8}
- preempt: {node: 0}
- preempt: {node: 1}
- preempt: {node: 2}
- advance: {units: 20}
- preempt: {node: 0}
- preempt: {node: 1}
- preempt: {node: 2}
- idle
# Hardware that stops between packets gives back what it has not begun.
- create_allocation: {allocation: 1, pages: 40, place: local}
- cpu_write: {allocation: 1, offset: 0, value: 0x03030303}
- cpu_write: {allocation: 1, offset: 163836, value: 0x04040404}
- make_resident: {allocation: 1}
- preempt: {node: 0}
- preempt: {node: 1}
- preempt: {node: 2}
- idle
)",
    .control = R"(
about: all paging had ended when the request came
ops:
- create_allocation: {allocation: 0, pages: 40, place: local}
- make_resident: {allocation: 0}
- idle
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "a paging buffer that is submitted again does nothing",
              .interposer = [] { return std::unique_ptr<Interposer>(new RecordsOnce); },
              .also_fires = "PT-004 PTE-001 PTE-006 SUBMIT-002 VPAGE-002 VPAGE-003"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_019
