// RENDER-001: faults on user-mode input do not escape Render.

#include "conformance/host/interposer.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"
#include "reference/trace/op.h"

namespace wddm::render_001 {
namespace {

void check_status(const Trace& trace, std::uint32_t index, std::uint32_t accessed,
                  Judgement& judgement) {
  const std::uint32_t status = trace.at<ev::Rendered>(index).status;
  if (!render::made_output(status)) return;
  judgement.fail(index, "an error status, because some of the commands could not be read",
                 status_name(status), {accessed});
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::uint32_t called = kNone;    // a Render with revoked input that has not returned
  bool revoked = false;            // ... of which something is taken away
  std::uint32_t accessed = kNone;  // revoked commands, in this call
  for (const std::uint32_t index :
       trace.of_any<ev::RenderCalled, ev::RevokedAccessed, ev::Rendered, ev::Hung>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::RenderCalled) {
      const auto call = trace.at<ev::RenderCalled>(index);
      revoked = call.revoked != 0;
      called = revoked ? index : kNone;
      accessed = kNone;
    } else if (event.kind == EventKind::RevokedAccessed) {
      // The list is a hint: who cannot read it may make the list from the commands.
      const auto access = Trace::as<ev::RevokedAccessed>(event);
      if (access.input == static_cast<std::uint32_t>(Input::Command)) accessed = index;
    } else if (event.kind == EventKind::Rendered) {
      if (revoked) judgement.reached(index);
      if (accessed != kNone) check_status(trace, index, accessed, judgement);
      called = accessed = kNone;
    } else {
      called = kNone;  // Hung: waiting is no fault
    }
  }
  // A crash ends the process, and the trace with it. Where all input can be read, it is not by a
  // fault there: RENDER-010.
  if (called == kNone || trace.truncated()) return;
  judgement.reached(called);
  judgement.fail(called, "Render catches the fault and returns an error status",
                 "it did not return");
}

// A driver that has looked at all of the input list in the first pass, and thinks that it stays.
class ReadsUnguarded final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    if (render->MultipassOffset != 0 && render->PatchLocationListInSize != 0) {
      const volatile UINT* const last =
          &render->pPatchLocationListIn[render->PatchLocationListInSize - 1].AllocationIndex;
      static_cast<void>(*last);
    }
    return Interposer::Render(context, render);
  }
};

// clang-format off
// Room for all commands but a few, so that there is a second pass (RENDER-005): what was there in
// the first is gone then.
#define GONE_IN_THE_SECOND_PASS(input, bytes) \
  "- render: {context: 0, dma_measure: needed_minus, dma_bytes: 72}\n" \
  "- bind: {slot: 0, allocation: 0}\n" \
  "- add: {slot: 0, offset: 0}\n" \
  "- add: {slot: 0, offset: 4}\n" \
  "- add: {slot: 0, offset: 8}\n" \
  "- add: {slot: 0, offset: 12}\n" \
  "- add: {slot: 0, offset: 16}\n" \
  "- bind: {slot: 1, allocation: 1}\n" \
  "- add: {slot: 1, offset: 20}\n" \
  "- add: {slot: 1, offset: 24}\n" \
  "- add: {slot: 1, offset: 28}\n" \
  "- add: {slot: 1, offset: 32}\n" \
  "- add: {slot: 1, offset: 36}\n" \
  "- revoke: {input: " input ", accessible: " #bytes ", after_passes: 1}\n" \
  "- idle\n"
// clang-format on

const Rule kRule{
    .id = "RENDER-001",
    .title = "Faults on user-mode input do not escape Render",
    .grade = Grade::Robustness,
    .rule =
        "Every access to pCommand and pPatchLocationListIn is guarded: commands that are not or no "
        "longer accessible make Render return an error, a list that is not accessible makes it "
        "do so or do without, and nothing else happens. It may go between one pass and the next, "
        "as the "
        "call in between is over.",
    .sources =
        "nc-d3dkmddi-dxgkddi_render.md # Remarks (__try/__except)\n"
        "ns-d3dkmddi-_dxgkarg_render.md # pCommand, pPatchLocationListIn",
    .note =
        "A driver that never reads what was revoked may succeed; it need not use the list that "
        "user "
        "mode provides. Which status an error has is not judged.",
    .applies = render::translating,
    .check = check,
    .scenario = R"(
about: only the first of the input patch locations can be read, then only the first of the commands; then the same from the second pass on
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 0}
- fill: {slot: 1}
# One D3DDDI_PATCHLOCATIONLIST has 24 bytes.
- revoke: {input: patch_list, accessible: 24}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- fill: {slot: 0, value: 2}
- revoke: {input: command, accessible: 4}
- idle
)" GONE_IN_THE_SECOND_PASS("patch_list", 24) GONE_IN_THE_SECOND_PASS("command", 4),
    .control = R"(
about: the commands end where memory ends, and all of them can be read
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- revoke: {input: patch_list, accessible: 65536}
- idle
)",
    .fault = {.about = "in a later pass the last input patch location is read outside of any guard",
              .interposer = [] { return std::unique_ptr<Interposer>(new ReadsUnguarded); },
              .also_fires = "CRASH"}};

#undef GONE_IN_THE_SECOND_PASS

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::render_001
