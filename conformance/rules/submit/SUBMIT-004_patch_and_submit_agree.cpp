// SUBMIT-004: Patch and SubmitCommand are told the same of a packet.

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/ddi.h"

namespace wddm::submit_004 {
namespace {

constexpr std::uint32_t kPaging = 1;

struct Told {
  std::uint32_t event = kNone;  // DdiEntered of Patch
  std::uint32_t fence = 0, start = 0, end = 0, engine = 0;
};

template <class Arguments>
Told told_by(std::uint32_t event, const Arguments& call) {
  return {.event = event,
          .fence = call.fence,
          .start = call.start,
          .end = call.end,
          .engine = call.engine};
}

std::string text_of(const Told& told) {
  return "SubmissionFenceId " + std::to_string(told.fence) + ", bytes " +
         std::to_string(told.start) + " to " + std::to_string(told.end);
}

void judge(std::uint32_t index, const ddi_arguments::SubmitCommand& call, const Told& patch,
           Judgement& judgement) {
  judgement.reached(index);
  const Told submit = told_by(index, call);
  if (submit.fence != patch.fence || submit.start != patch.start || submit.end != patch.end ||
      submit.engine != patch.engine) {
    judgement.fail(index, "SubmitCommand is told what Patch was: " + text_of(patch),
                   text_of(submit), {patch.event});
  } else if ((call.flags & kPaging) == 0 && call.private_start != 0) {
    judgement.fail(index, "DmaBufferPrivateDataSubmissionStartOffset 0 outside of paging",
                   std::to_string(call.private_start), {patch.event});
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, Told> patched;  // by packet, since it was submitted last
  for (const std::uint32_t index : trace.of<ev::DdiEntered>()) {
    const auto entered = trace.at<ev::DdiEntered>(index);
    const Event& event = trace.events()[index];
    if (entered.ddi == static_cast<std::uint32_t>(DdiId::Patch)) {
      const auto call = trace.blob<ddi_arguments::Patch>(event);
      if (!call.empty()) patched[entered.object] = told_by(index, call.front());
    } else if (entered.ddi == static_cast<std::uint32_t>(DdiId::SubmitCommand)) {
      const auto call = trace.blob<ddi_arguments::SubmitCommand>(event);
      const auto found = patched.find(entered.object);
      if (call.empty() || found == patched.end()) continue;
      judge(index, call.front(), found->second, judgement);
      patched.erase(found);
    }
  }
}

const Rule kRule{
    .id = "SUBMIT-004",
    .title = "Patch and Submit describe the same packet",
    .binds = Binds::Os,
    .rule =
        "For a packet that is patched, Patch and SubmitCommand are told the same "
        "SubmissionFenceId, the same range of the DMA buffer and the same engine; outside of "
        "paging its private data begin at 0.",
    .sources =
        "supplying-fence-identifiers.md\n"
        "ns-d3dkmddi-_dxgkarg_submitcommand.md # DmaBufferSubmissionStartOffset\n"
        "ns-d3dkmddi-_dxgkarg_patch.md # SubmissionFenceId",
    .note =
        "Whether paging buffers are patched at all is the OS's choice; those that are count too.",
    .applies = patching,
    .check = check,
    .scenario = R"(
about: a buffer that is cut, and paging
ops:
- create_allocation: {allocation: 0, place: local}
- create_context: {context: 0}
- prepatch: {mode: never_prepatch}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- spin: {units: 5}
- fill: {slot: 0}
- idle
)",
    .control = R"(
about: a portion that is patched several times, at other addresses first
ops:
- create_allocation: {allocation: 0, place: local}
- create_context: {context: 0}
- prepatch: {mode: never_prepatch}
- repatch: {times: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .fault = {.about = "Patch is told the fence before that of the submission",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::PatchToldAnotherFence}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::submit_004
