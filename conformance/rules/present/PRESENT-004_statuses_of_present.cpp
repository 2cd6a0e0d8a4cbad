// PRESENT-004: what Present returns is documented, and what it does for two surfaces at one place
// it does at others.

#include <algorithm>
#include <array>

#include "conformance/host/interposer.h"
#include "conformance/rules/present/presented.h"
#include "conformance/rules/render/render_status.h"
#include "reference/is_any_of.h"

namespace wddm::present_004 {
namespace {

constexpr NTSTATUS kDocumented[] = {STATUS_SUCCESS,
                                    STATUS_NO_MEMORY,
                                    STATUS_INSUFFICIENT_RESOURCES,
                                    STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER,
                                    STATUS_GRAPHICS_CANNOTCOLORCONVERT,
                                    STATUS_PRIVILEGED_INSTRUCTION,
                                    STATUS_ILLEGAL_INSTRUCTION,
                                    STATUS_INVALID_HANDLE,
                                    STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE};

// The operation is none that the driver has.
bool is_refused(std::uint32_t status) {
  return is_any_of(static_cast<NTSTATUS>(status), STATUS_PRIVILEGED_INSTRUCTION,
                   STATUS_ILLEGAL_INSTRUCTION);
}

// What the status says is not so: both surfaces are open on the device of the context, and of one
// format; and nothing else wants memory. Null: it may be.
const char* what_is_untrue(std::uint32_t status, const ev::PresentAsked& asked) {
  switch (static_cast<NTSTATUS>(status)) {
    case STATUS_INVALID_HANDLE:
      return "handles of surfaces that are open are valid";
    case STATUS_GRAPHICS_CANNOTCOLORCONVERT:
      return "no color is converted: all surfaces are A8R8G8B8, and so is Color";
    case STATUS_NO_MEMORY:
    case STATUS_INSUFFICIENT_RESOURCES:
      return asked.rects == 1 ? "there is memory for one rectangle" : nullptr;
    default:
      return nullptr;
  }
}

struct Answers {
  std::uint32_t taken = kNone, refused = kNone;  // Rendered, the first of each
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto presents = present::presents_of(trace);
  const bool may_fail = present::fails_somewhere(trace);
  ScratchMap<std::uint32_t, std::uint32_t> nodes;  // by context
  // By node, destination and source: engines may be unlike. What a slot names may end, and another
  // begin there.
  ScratchMap<std::array<std::uint32_t, 3>, Answers> surfaces;
  for (const std::uint32_t index :
       trace.of_any<ev::Rendered, ev::AllocationCreated, ev::ContextCreated>()) {
    if (trace.events()[index].kind == EventKind::AllocationCreated) {
      const std::uint32_t made = trace.at<ev::AllocationCreated>(index).allocation;
      std::erase_if(surfaces, [made](const auto& each) {
        return each.first[1] == made || each.first[2] == made;
      });
      continue;
    }
    if (trace.events()[index].kind == EventKind::ContextCreated) {
      const auto context = trace.at<ev::ContextCreated>(index);
      nodes[context.context] = context.node;
      continue;
    }
    const auto call = trace.at<ev::Rendered>(index);
    const auto found = presents.find(call.render);
    if (found == presents.end()) continue;
    judgement.reached(index);
    const auto status = static_cast<NTSTATUS>(call.status);
    if (std::find(std::begin(kDocumented), std::end(kDocumented), status) ==
        std::end(kDocumented)) {
      judgement.fail(index, "a status that the page of DxgkDdiPresent names",
                     status_name(call.status), {found->second});
      continue;
    }
    const auto asked = trace.at<ev::PresentAsked>(found->second);
    const char* const expected = may_fail ? nullptr : what_is_untrue(call.status, asked);
    if (expected != nullptr) {
      judgement.fail(index, expected, status_name(call.status), {found->second});
      continue;
    }
    Answers& answers = surfaces[{nodes[asked.context], asked.destination, asked.source}];
    if (render::made_output(call.status) && answers.taken == kNone) answers.taken = index;
    if (is_refused(call.status) && answers.refused == kNone) answers.refused = index;
    if (answers.taken == kNone || answers.refused == kNone) continue;
    judgement.fail(answers.refused,
                   "what the driver does for these surfaces at one place it does at another",
                   status_name(trace.at<ev::Rendered>(answers.refused).status),
                   {answers.taken, found->second});
    answers = {};
  }
}

// A driver that measures a rectangle from the wrong corner.
class FindsItOutside final : public Interposer {
 public:
  NTSTATUS Present(HANDLE context, DXGKARG_PRESENT* present) override {
    if (present->DstRect.left != 0) return STATUS_ILLEGAL_INSTRUCTION;
    return Interposer::Present(context, present);
  }
};

const Rule kRule{
    .id = "PRESENT-004",
    .title = "Present returns documented statuses, and the same ones for all places",
    .rule =
        "Present returns one of the statuses that its page names, and what that says is so. Where "
        "it "
        "can copy from one "
        "surface to another, or fill one, it can do so from and to all places of these surfaces.",
    .sources =
        "nc-d3dkmddi-dxgkddi_present.md # Returns\n"
        "ns-d3dkmddi-_dxgkarg_present.md # Remarks",
    .note =
        "STATUS_ILLEGAL_INSTRUCTION is for what hardware cannot do. A copy without stretching "
        "between the same two surfaces does not change with the place, and the driver need not "
        "clip. Another engine may be another matter.",
    .unreached = "Present was never called: there is no surface for it",
    .applies = present::presenting,
    .check = check,
    .played_in = kPatchListConfigurations,
    .scenario = R"(
about: copies between the same two surfaces, from and to other corners
ops:
- create_context: {context: 0}
- create_surface: {allocation: 0}
- create_surface: {allocation: 1}
- present_blt: {context: 0, allocation: 0, source: 1}
- present_blt: {context: 0, allocation: 0, source: 1, from: 35}
- present_blt: {context: 0, allocation: 0, source: 1, to: 1007}
- present_blt: {context: 0, allocation: 0, source: 1, to: 40, from: 67, rects: 9}
- present_fill: {context: 0, allocation: 0}
- present_fill: {context: 0, allocation: 0, to: 1021, rects: 1}
- idle
)",
    .control = R"(
about: a whole surface, filled; then with memory short
ops:
- create_context: {context: 0}
- create_surface: {allocation: 0}
- create_surface: {allocation: 1}
- present_fill: {context: 0, allocation: 0}
- idle
# Where memory is short nothing is presented, and all is as before.
- fail_pool: {kth: 1}
- present_blt: {context: 0, allocation: 0, source: 1, rects: 2}
- fail_pool: {kth: 2}
- present_fill: {context: 0, allocation: 0, rects: 2}
- present_blt: {context: 0, allocation: 0, source: 1, to: 2, rects: 9}
- idle
)",
    .fault = {.about = "what is not to begin at the left border is refused",
              .interposer = [] { return std::unique_ptr<Interposer>(new FindsItOutside); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::present_004
