// RENDER-002: what is validated is what is executed.

#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"

namespace wddm::render_002 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::InputChanged>()) {
    const auto changed = trace.at<ev::InputChanged>(index);
    // What is valid may be taken as it was or as it has become.
    if (changed.refused == 0) continue;
    judgement.reached(index);
    if (changed.as_before != 0) continue;
    judgement.fail(index, "what Render would refuse has no part in its output",
                   "word " + std::to_string(changed.value) +
                       ", written after the first read at offset " +
                       std::to_string(changed.offset) +
                       (changed.found_in_output != 0 ? ", is in the output of a call that succeeded"
                                                     : ", alters the output of a call that "
                                                       "succeeded"));
  }
}

const Rule kRule{
    .id = "RENDER-002",
    .title = "What is validated is what is executed",
    .grade = Grade::Robustness,
    .rule =
        "User mode can rewrite pCommand and pPatchLocationListIn while Render runs. What a "
        "successful call leaves in the DMA buffer and the output list is what was validated: "
        "each byte is captured once, or the kernel's copy is validated.",
    .sources =
        "nc-d3dkmddi-dxgkddi_render.md # Remarks (buffers are passed untouched, must be "
        "validated)",
    .note =
        "Read literally ('validate before copying') the text describes the racy order; its "
        "intent is judged. A changed word counts if the driver refuses it when nobody races, and "
        "the output of the call that succeeded is not that of the unchanged input: the host calls "
        "Render again to know both. Where equal input gives unequal output, neither can be known "
        "and nothing is judged; nor where the word means nothing to the driver. The scenario of "
        "RENDER-009 changes every word of commands and of the list.",
    .applies = render::translating,
    .check = check,
    .scenario = R"(
about: a fill inside its allocation is led behind its end after the first read
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 0, size: 4, value: 1}
- fill: {slot: 1, size: 4, value: 1}
- fill: {slot: 1, size: 4, value: 2}
# An offset behind all commands stands for the word that says where the last of them writes, however
# the client encodes that. The one before it writes at the start of what its slot names.
- race: {input: command, offset: 0xfffffffc, value: 0x1010}
- idle
)",
    .control = R"(
about: the fill is led to another place inside its allocation
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 0, size: 4, value: 1}
- fill: {slot: 1, size: 4, value: 1}
- fill: {slot: 1, size: 4, value: 2}
- race: {input: command, offset: 0xfffffffc, value: 0x0010}
- idle
)",
    .fault = {.about = "commands are checked in user memory and copied afterwards",
              .seat = FaultSeat::Variant,
              .variant = 7,
              .also_fires = "RENDER-008 SUBMIT-015"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::render_002
