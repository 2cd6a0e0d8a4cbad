// PREEMPT-017: the driver accepts reused paging fence identifiers.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/is_any_of.h"

namespace wddm::preempt_017 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  // Packets that have completed, or were reported as faulted under their fence, which counts as
  // completed then; and those that the removal of the device has ended, or a reset which the driver
  // did not make necessary by standing still.
  ScratchSet<std::uint32_t> completed;
  bool stuck = true;
  for (const std::uint32_t index : trace.of_any<ev::PacketEnded, ev::EngineReset, ev::AdapterReset,
                                                ev::SurpriseRemoved, ev::Stuck>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PacketEnded) {
      const auto ended = Trace::as<ev::PacketEnded>(event);
      const auto fate = static_cast<PacketFate>(ended.fate);
      const bool reported = is_any_of(fate, PacketFate::Completed, PacketFate::Faulted);
      if (reported || (fate == PacketFate::Lost && !stuck)) completed.insert(ended.packet);
    } else if (event.kind == EventKind::AdapterReset) {
      constexpr std::uint32_t kStuck = 2;
      stuck = Trace::as<ev::AdapterReset>(event).cause == kStuck;
    } else {
      stuck = event.kind == EventKind::Stuck;
    }
  }
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto submitted = trace.at<ev::Submitted>(index);
    if (submitted.paging == 0 || submitted.again == 0) continue;
    judgement.reached(index);
    if (completed.contains(submitted.packet) || trace.of<ev::Ended>().empty()) continue;
    judgement.fail(index,
                   "the paging packet runs again and completes under SubmissionFenceId " +
                       std::to_string(submitted.fence),
                   "it was never reported");
  }
}

// A driver that takes a fence below the highest it has seen for one it has dealt with.
class DropsOldFences final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (submit->SubmissionFenceId < highest_) return STATUS_SUCCESS;
    highest_ = submit->SubmissionFenceId;
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    highest_ = preempt->PreemptionFenceId;
    return Interposer::PreemptCommand(adapter, preempt);
  }

 private:
  UINT highest_ = 0;
};

// Whichever node pages, it is asked twice on the way.
// clang-format off
#define STOPPED_TWICE \
  "- advance: {units: 3}\n" \
  "- preempt: {node: 0}\n" \
  "- preempt: {node: 1}\n" \
  "- advance: {units: 4}\n" \
  "- preempt: {node: 0}\n" \
  "- preempt: {node: 1}\n" \
  "- idle\n"
#define COMES_BACK_ACROSS_THE_END_FROM(number) \
  "- stop\n" \
  "- first_fence: {fence: " #number "}\n" \
  "- start\n" \
  "- create_allocation: {allocation: 0, pages: 32, place: local}\n" \
  "- make_resident: {allocation: 0}\n" \
  STOPPED_TWICE \
  "- evict: {allocation: 0}\n" \
  STOPPED_TWICE \
  "- make_resident: {allocation: 0}\n" \
  STOPPED_TWICE
// clang-format on

NotApplicable preemption_aware(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  return platform.scheduling.preemption_aware() ? nullptr : "PreemptionAware is 0";
}

const Rule kRule{
    .id = "PREEMPT-017",
    .title = "The driver accepts reused paging fence identifiers",
    .rule =
        "After a preemption that removed paging packets the driver accepts them again under "
        "their original SubmissionFenceId, lower than the PreemptionFenceId and than fences "
        "seen since, executes them and reports them under that same identifier.",
    .sources =
        "gpu-preemption.md # Memory mapping considerations (paging command fence IDs)\n"
        "tdr-changes-in-windows-8.md # Packets unaffected by engine reset",
    .unreached = "no paging packet was taken off its engine by a preemption",
    .applies = preemption_aware,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a long Fill is preempted in the middle, and again and again where it goes on; so it is on other nodes, and so are transfers of contents
ops:
- create_allocation: {allocation: 0, pages: 32, place: local}
- make_resident: {allocation: 0}
- advance: {units: 3}
- preempt: {node: 0}
- advance: {units: 4}
- preempt: {node: 0}
- advance: {units: 4}
- preempt: {node: 0}
- idle
# Where paging runs is the driver's choice. On one with fewer nodes what they are asked is skipped.
- create_allocation: {allocation: 1, pages: 32, place: local}
- make_resident: {allocation: 1}
- advance: {units: 3}
- preempt: {node: 1}
- advance: {units: 4}
- preempt: {node: 1}
- idle
- create_allocation: {allocation: 2, pages: 32, place: local}
- make_resident: {allocation: 2}
- advance: {units: 3}
- preempt: {node: 2}
- advance: {units: 4}
- preempt: {node: 2}
- idle
# Contents are stopped on their way out, back in, and from place to place.
- fill_memory: {allocation: 0, pattern: 0x51525354}
- idle
- evict: {allocation: 0}
)" STOPPED_TWICE R"(
- cpu_write: {allocation: 0, offset: 4096, value: 0x61626364}
- cpu_write: {allocation: 0, offset: 69632, value: 0x71727374}
- cpu_write: {allocation: 0, offset: 131068, value: 0x81828384}
- make_resident: {allocation: 0}
)" STOPPED_TWICE R"(
- move: {allocation: 0, direct: true}
)" STOPPED_TWICE R"(
# So is the first of two buffers that take them out.
- paging_buffer: {measure: needed_minus, bytes: 4, packed: true}
- evict: {allocation: 0}
)" STOPPED_TWICE R"(
- paging_buffer
- make_resident: {allocation: 0}
- idle
)",
    .control = R"(
about: the paging packet had ended when the request came; then numbers come to their end between that of the paging and that of the request
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- idle
- preempt: {node: 0}
- idle
# The end of 31 bits, and of 32.
)" COMES_BACK_ACROSS_THE_END_FROM(0x7ffffffc) COMES_BACK_ACROSS_THE_END_FROM(0x7ffffffe)
        COMES_BACK_ACROSS_THE_END_FROM(0xfffffff9) COMES_BACK_ACROSS_THE_END_FROM(0xfffffffc)
            COMES_BACK_ACROSS_THE_END_FROM(0xfffffffe),
    .fault = {.about = "submissions below the highest fence seen are dropped",
              .interposer = [] { return std::unique_ptr<Interposer>(new DropsOldFences); },
              .also_fires = "FENCE-001"}};

#undef STOPPED_TWICE
#undef COMES_BACK_ACROSS_THE_END_FROM

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_017
