// SPLIT-006: splitting is supported regardless of preemption capability.

#include "conformance/host/interposer.h"
#include "conformance/rules/fence/device_says.h"
#include "conformance/rules/fence/engine_history.h"
#include "conformance/rules/scratch.h"

namespace wddm::split_006 {
namespace {

// The last portion ends with the marker's add: a fence that completes without it stands for
// commands that did not run.
void check_markers(const Trace& trace, const ScratchMap<std::uint32_t, std::uint32_t>& later,
                   Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::MarkerRead>()) {
    const auto marker = trace.at<ev::MarkerRead>(index);
    const auto found = later.find(marker.packet);
    if (found == later.end() || marker.reason != static_cast<std::uint32_t>(MarkerReason::AtEnd)) {
      continue;
    }
    judgement.reached(index);
    if (marker.runs >= marker.expected) continue;
    judgement.fail(
        index, "a later portion that ends has executed",
        "what its last command writes is not in memory" + device_says(trace, marker, index),
        {found->second});
  }
}

void check_stalls(const Trace& trace, Judgement& judgement) {
  for (const auto& [engine, submissions] : submissions_by_engine(trace)) {
    for_each_uncovered(submissions, [&](std::span<const Submission> left) {
      const Submission* const stopped = held_up_by_driver(trace, left);
      if (stopped == nullptr || stopped->packet.paging != 0 || stopped->packet.start == 0) return;
      // It was not the engine that stood still: FENCE-001.
      if (device_came_to_its_end(trace, stopped->packet, stopped->lost_by)) return;
      judgement.fail(stopped->lost_by, "a later portion executes and its fence completes",
                     "the engine stood still at it until the reset", {stopped->event});
    });
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::Patched>()) {
    const auto patched = trace.at<ev::Patched>(index);
    if (patched.paging != 0 || patched.start == 0) continue;
    judgement.reached(index);
    if (patched.status == 0) continue;
    judgement.fail(index, "STATUS_SUCCESS from Patch of a later portion",
                   "an error for the portion from byte " + std::to_string(patched.start) + " on");
  }
  ScratchMap<std::uint32_t, std::uint32_t> later;  // Submitted, by packet
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto submitted = trace.at<ev::Submitted>(index);
    if (submitted.paging != 0 || submitted.start == 0) continue;
    later[submitted.packet] = index;
    if (submitted.status == 0) continue;
    judgement.fail(index, "STATUS_SUCCESS from SubmitCommand of a later portion",
                   "an error for the portion from byte " + std::to_string(submitted.start) + " on");
  }
  for (const std::uint32_t index : trace.of<ev::PacketEnded>()) {
    const auto ended = trace.at<ev::PacketEnded>(index);
    if (!later.contains(ended.packet)) continue;
    if (ended.fate == static_cast<std::uint32_t>(PacketFate::Completed)) judgement.reached(index);
    if (ended.fate == static_cast<std::uint32_t>(PacketFate::Lost)) later.erase(ended.packet);
  }
  check_markers(trace, later, judgement);
  if (!trace.of<ev::Ended>().empty()) check_stalls(trace, judgement);
}

// A driver that completes the fence of a later portion and does nothing.
class WholeBuffersOnly final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    DXGKARG_SUBMITCOMMAND altered = *submit;
    if (submit->DmaBufferSubmissionStartOffset != 0) {
      altered.DmaBufferSubmissionEndOffset = altered.DmaBufferSubmissionStartOffset;
    }
    return Interposer::SubmitCommand(adapter, &altered);
  }
};

const Rule kRule{
    .id = "SPLIT-006",
    .aliases = "SUBMIT-013",
    .title = "Splitting is supported regardless of preemption capability",
    .rule =
        "With any value of the preemption capabilities, Patch and SubmitCommand handle a portion "
        "with DmaBufferSubmissionStartOffset and PatchLocationListSubmissionStart above 0 like "
        "a whole buffer: both succeed, and its fence completes when it has executed.",
    .sources =
        "splitting-a-dma-buffer.md # Note (first part)\n"
        "ns-d3dkmddi-_dxgkarg_patch.md # DmaBufferSubmissionStartOffset",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: a working set beyond the segment, in the Windows 7 model
ops:
- configure: {setting: PreemptionAware, value: 0}
# Allocations that no driver has to round up.
- limit_memory: {local: 24, aperture: 8}
- create_allocation: {allocation: 0, pages: 16, place: local}
- create_allocation: {allocation: 1, pages: 16, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- unbind: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
)",
    .control = R"(
about: the same buffer in a segment that holds all of it
ops:
- configure: {setting: PreemptionAware, value: 0}
- create_allocation: {allocation: 0, pages: 5, place: local}
- create_allocation: {allocation: 1, pages: 5, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- unbind: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
)",
    .fault = {.about = "the fence of a later portion completes, its commands do not run",
              .interposer = [] { return std::unique_ptr<Interposer>(new WholeBuffersOnly); },
              .also_fires = "SPLIT-005 SUBMIT-002 FENCE-002"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_006
