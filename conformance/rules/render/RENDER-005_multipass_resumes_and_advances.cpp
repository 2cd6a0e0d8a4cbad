// RENDER-005: multipass translation resumes from MultipassOffset and always advances.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/out_of_memory.h"
#include "conformance/rules/page/mapped_in_passes.h"
#include "conformance/rules/preempt/first_preemption.h"
#include "conformance/rules/present/presented.h"
#include "conformance/rules/render/asked_by_contexts.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/split_memory.h"
#include "conformance/rules/submit/silent_engines.h"
#include "conformance/sdk/client.h"

namespace wddm::render_005 {
namespace {

// Those of Present PRESENT-001 and PRESENT-002 judge.
using Presents = ScratchMap<std::uint32_t, std::uint32_t>;

void judge_pass(const Trace& trace, std::uint32_t index, Judgement& judgement) {
  const auto call = trace.at<ev::Rendered>(index);
  judgement.reached(index);
  if (call.multipass_out != call.multipass_in) return;
  judgement.fail(
      index, "an incomplete pass changes MultipassOffset",
      "pass " + std::to_string(call.pass) + " left it at " + std::to_string(call.multipass_out));
}

// Of the kind that a command buffer asks for: a driver may begin each buffer with some of its own.
bool holds_a_command(const Trace& trace, const Event& event) {
  if (Trace::as<ev::Decoded>(event).stage != static_cast<std::uint32_t>(DmaStage::Rendered)) {
    return false;
  }
  const auto commands = trace.blob<WddmDecoded>(event);
  return std::any_of(commands.begin(), commands.end(),
                     [](const WddmDecoded& command) { return command.kind != 0; });
}

// A pass on less than its context asked for may find no room for a command. Then it must change
// MultipassOffset only if the decoder finds one.
void check_passes(const Trace& trace, const Presents& presents, Judgement& judgement) {
  render::AskedByContexts asked;
  std::uint32_t hopeless = kNone;  // incomplete pass on too little, so far without a command
  for (const std::uint32_t index :
       trace.of_any<ev::ContextCreated, ev::RenderCalled, ev::Rendered, ev::Decoded>()) {
    const Event& event = trace.events()[index];
    asked.follow(trace, index);
    if (event.kind == EventKind::Rendered) {
      const auto call = Trace::as<ev::Rendered>(event);
      hopeless = kNone;
      if (!render::incomplete(call.status) || presents.contains(call.render)) continue;
      if (asked.more_than(call)) {
        hopeless = index;
      } else {
        judge_pass(trace, index, judgement);
      }
    } else if (event.kind == EventKind::Decoded && hopeless != kNone) {
      if (!holds_a_command(trace, event)) continue;
      judge_pass(trace, hopeless, judgement);
      hopeless = kNone;
    }
  }
}

// The passes together have the effect of one translation into a large buffer. Left to others is
// what was cut into portions, what lies behind a map that is not whole, and all behind a
// preemption.
void check_effects(const Trace& trace, const Presents& presents, Judgement& judgement) {
  render::AskedByContexts asked;
  // With more than one pass, or cause for it: whether there was more than one.
  ScratchMap<std::uint32_t, bool> renders, packets;
  for (const std::uint32_t index :
       trace.of_any<ev::ContextCreated, ev::RenderCalled, ev::Rendered>()) {
    const Event& event = trace.events()[index];
    asked.follow(trace, index);
    if (event.kind != EventKind::Rendered) continue;
    const auto call = Trace::as<ev::Rendered>(event);
    if (presents.contains(call.render)) continue;
    if (call.pass != 0 || asked.more_than(call)) renders[call.render] |= call.pass != 0;
  }
  if (renders.empty()) return;
  const auto buffers = split::submissions_of(trace);
  const auto mapped = page::mapped_in_passes(trace);
  const std::uint32_t preempted = preempt::first_preemption(trace);
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto packet = trace.at<ev::Submitted>(index);
    const auto render = renders.find(packet.render);
    if (packet.paging != 0 || render == renders.end()) continue;
    if (buffers.find(packet.render)->second.split) continue;
    packets[packet.packet] = render->second;
  }
  const auto caused = [&](std::uint32_t cause, std::uint32_t packet) {
    return cause == static_cast<std::uint32_t>(MemoryCause::Render) && packets.contains(packet);
  };
  for (const std::uint32_t index : trace.of<ev::MemoryChecked>()) {
    const auto checked = trace.at<ev::MemoryChecked>(index);
    if (submit::memory_says_nothing(trace, checked.object, index)) continue;
    if (index < preempted && caused(checked.cause, checked.object)) judgement.reached(index);
  }
  for (const std::uint32_t index : trace.of<ev::MemoryDiffers>()) {
    const auto differs = trace.at<ev::MemoryDiffers>(index);
    if (index > preempted || page::lies_in(differs, mapped)) continue;
    if (!caused(differs.cause, differs.cause_object)) continue;
    if (submit::memory_says_nothing(trace, differs.cause_object, index)) continue;
    const bool passes = packets[differs.cause_object];
    judgement.fail(index,
                   passes ? "all passes together have the effect of the whole command buffer"
                          : "one pass on less than was asked for has the effect of the whole",
                   "memory holds " + std::to_string(differs.seen) + " instead of " +
                       std::to_string(differs.expected));
  }
}

// A driver may have no room for the next command where it was given less than it asked for. Where
// it never has, it cannot go on at all. What fails on purpose says nothing.
void check_that_passes_go_on(const Trace& trace, const Presents& presents, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::OpStarted>()) {
    if (fails_on_purpose(trace.at<ev::OpStarted>(index).kind)) return;
  }
  std::uint32_t refused = 0, first = kNone;
  for (const std::uint32_t index : trace.of<ev::Rendered>()) {
    const auto call = trace.at<ev::Rendered>(index);
    if (call.pass == 0 || call.hostile != 0 || is_out_of_memory(call.status)) continue;
    if (presents.contains(call.render)) continue;
    if (render::made_output(call.status)) return;
    if (refused++ == 0) first = index;
  }
  constexpr std::uint32_t kNoAccident = 3;
  if (refused < kNoAccident) return;
  judgement.fail(first, "a pass goes on where the one before it has stopped",
                 "it returned " + status_name(trace.at<ev::Rendered>(first).status) +
                     ", and so did every later one behind a first");
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const Presents presents = present::presents_of(trace);
  check_passes(trace, presents, judgement);
  check_that_passes_go_on(trace, presents, judgement);
  check_effects(trace, presents, judgement);
}

// A driver that keeps its progress since the last call, and not since the first: its third pass
// begins where the second has begun.
class GoesBackOnce final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    const UINT begun = render->MultipassOffset;
    pass_ = begun == 0 ? 0 : pass_ + 1;
    if (pass_ == 1) second_ = begun;
    if (pass_ == 2 && !went_back_) {
      went_back_ = true;
      render->MultipassOffset = second_;
    }
    return Interposer::Render(context, render);
  }

 private:
  UINT pass_ = 0;
  UINT second_ = 0;  // where the second pass has begun
  bool went_back_ = false;
};

// Ten counting commands in a buffer that is so much too short.
#define TEN_OF(context, bytes, allocation)                                          \
  "- render: {context: " #context ", dma_measure: needed_minus, dma_bytes: " #bytes \
  "}\n"                                                                             \
  "- bind: {slot: 0, allocation: " #allocation                                      \
  "}\n"                                                                             \
  "- add: {slot: 0, offset: 0}\n"                                                   \
  "- add: {slot: 0, offset: 4}\n"                                                   \
  "- add: {slot: 0, offset: 8}\n"                                                   \
  "- add: {slot: 0, offset: 12}\n"                                                  \
  "- add: {slot: 0, offset: 16}\n"                                                  \
  "- add: {slot: 0, offset: 20}\n"                                                  \
  "- add: {slot: 0, offset: 24}\n"                                                  \
  "- add: {slot: 0, offset: 28}\n"                                                  \
  "- add: {slot: 0, offset: 32}\n"                                                  \
  "- add: {slot: 0, offset: 36}\n"
#define TEN_WITH_LESS(bytes) TEN_OF(0, bytes, 0) "- idle\n"

// Of two devices, whose passes end at different commands.
#define TEN_EACH_WITH_LESS(one, other) TEN_OF(0, one, 0) TEN_OF(1, other, 2) "- idle\n"

// In their middle the slot begins to name another allocation.
#define TWO_BINDINGS_WITH_LESS(bytes)                                    \
  "- render: {context: 0, dma_measure: needed_minus, dma_bytes: " #bytes \
  "}\n"                                                                  \
  "- bind: {slot: 0, allocation: 0}\n"                                   \
  "- add: {slot: 0, offset: 0}\n"                                        \
  "- add: {slot: 0, offset: 4}\n"                                        \
  "- add: {slot: 0, offset: 8}\n"                                        \
  "- add: {slot: 0, offset: 12}\n"                                       \
  "- add: {slot: 0, offset: 16}\n"                                       \
  "- bind: {slot: 0, allocation: 1}\n"                                   \
  "- add: {slot: 0, offset: 64}\n"                                       \
  "- add: {slot: 0, offset: 68}\n"                                       \
  "- add: {slot: 0, offset: 72}\n"                                       \
  "- add: {slot: 0, offset: 76}\n"                                       \
  "- add: {slot: 0, offset: 80}\n"                                       \
  "- idle\n"

// clang-format off
// Commands of other drivers are larger.
#define TEN_IN_TWO_PASSES TEN_WITH_LESS(96) TEN_WITH_LESS(160)
// With half of what they need, or less, there are three passes: for commands of any size from 12 to
// 100 bytes one of these is so short. Who finds no room for any says so.
#define TEN_IN_THREE_PASSES \
  TEN_WITH_LESS(120) TEN_WITH_LESS(200) TEN_WITH_LESS(330) TEN_WITH_LESS(560)
// Where a pass begins behind the second binding, that one holds.
#define TWO_BINDINGS_IN_PASSES \
  TWO_BINDINGS_WITH_LESS(48) TWO_BINDINGS_WITH_LESS(72) TWO_BINDINGS_WITH_LESS(120) \
  TWO_BINDINGS_WITH_LESS(200) TWO_BINDINGS_WITH_LESS(330) TWO_BINDINGS_WITH_LESS(560)
// Progress is that of one command buffer: between its passes others have theirs.
#define PASSES_IN_TURN \
  "- create_device: {device: 1}\n" \
  "- create_context: {context: 1, device: 1}\n" \
  "- create_allocation: {allocation: 2, place: local, device: 1}\n" \
  "- alternate_passes\n" \
  TEN_EACH_WITH_LESS(48, 72) TEN_EACH_WITH_LESS(96, 40) TEN_EACH_WITH_LESS(72, 200) \
  TEN_EACH_WITH_LESS(200, 72) TEN_EACH_WITH_LESS(330, 560)
// Every slot that the built-in driver has is bound before one command, which thus needs as many
// elements as its shortest list has.
#define ALL_SLOTS_BOUND \
  "- render: {context: 0}\n" \
  "- bind: {slot: 0, allocation: 0}\n" \
  "- bind: {slot: 1, allocation: 1}\n" \
  "- bind: {slot: 2, allocation: 0}\n" \
  "- bind: {slot: 3, allocation: 1}\n" \
  "- bind: {slot: 4, allocation: 0}\n" \
  "- bind: {slot: 5, allocation: 1}\n" \
  "- bind: {slot: 6, allocation: 0}\n" \
  "- bind: {slot: 7, allocation: 1}\n" \
  "- bind: {slot: 8, allocation: 0}\n" \
  "- bind: {slot: 9, allocation: 1}\n" \
  "- bind: {slot: 10, allocation: 0}\n" \
  "- bind: {slot: 11, allocation: 1}\n" \
  "- bind: {slot: 12, allocation: 0}\n" \
  "- bind: {slot: 13, allocation: 1}\n" \
  "- bind: {slot: 14, allocation: 0}\n" \
  "- bind: {slot: 15, allocation: 1}\n" \
  "- copy: {slot: 1, source: 0, offset: 1024, size: 64}\n- idle\n"
// Each draw has a binding of its own, so that the list runs out before the DMA buffer does.
#define TEN_DRAWS_AT(at) \
  "- bind: {slot: 0, allocation: 0}\n- add: {slot: 0, offset: " #at "00}\n" \
  "- bind: {slot: 0, allocation: 1}\n- add: {slot: 0, offset: " #at "04, value: 2}\n" \
  "- bind: {slot: 0, allocation: 0}\n- add: {slot: 0, offset: " #at "08, value: 3}\n" \
  "- bind: {slot: 0, allocation: 1}\n- add: {slot: 0, offset: " #at "12, value: 4}\n" \
  "- bind: {slot: 0, allocation: 0}\n- add: {slot: 0, offset: " #at "16, value: 5}\n" \
  "- bind: {slot: 0, allocation: 1}\n- add: {slot: 0, offset: " #at "20, value: 6}\n" \
  "- bind: {slot: 0, allocation: 0}\n- add: {slot: 0, offset: " #at "24, value: 7}\n" \
  "- bind: {slot: 0, allocation: 1}\n- add: {slot: 0, offset: " #at "28, value: 8}\n" \
  "- bind: {slot: 0, allocation: 0}\n- add: {slot: 0, offset: " #at "32, value: 9}\n" \
  "- bind: {slot: 0, allocation: 1}\n- add: {slot: 0, offset: " #at "36, value: 10}\n"
#define DRAWS_WITH_LESS(elements) \
  "- render: {context: 0, patch_measure: needed_minus, patch_capacity: " #elements "}\n" \
  TEN_DRAWS_AT(2) "- idle\n"
// By lists that are as long as was asked for and full, and by such that are too short.
#define PASSES_BY_LISTS \
  ALL_SLOTS_BOUND \
  "- render: {context: 0}\n" TEN_DRAWS_AT(3) TEN_DRAWS_AT(4) "- idle\n" \
  DRAWS_WITH_LESS(3) DRAWS_WITH_LESS(4) DRAWS_WITH_LESS(5) DRAWS_WITH_LESS(6) \
  DRAWS_WITH_LESS(8) DRAWS_WITH_LESS(10) DRAWS_WITH_LESS(12)
// clang-format on

const Rule kRule{
    .id = "RENDER-005",
    .title = "Multipass translation resumes from MultipassOffset and always advances",
    .rule =
        "When room runs out, Render stores its progress in MultipassOffset and returns "
        "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER. Called again with that offset and a new "
        "buffer it goes on there; all passes together have the effect of one, and each pass "
        "on a buffer of the size asked for makes progress.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_render.md # MultipassOffset\n"
        "nc-d3dkmddi-dxgkddi_render.md # returns\n"
        "nc-d3dkmddi-dxgkddi_present.md # Remarks (MultipassOffset)\n"
        "ns-d3dkmddi-_dxgk_contextinfo.md # Remarks (buffer sizes)",
    .note =
        "No page says which status applies when only the patch list is full; the one above is "
        "the only one that lets Windows supply new room, so it is assumed. Calls for contexts of "
        "two "
        "devices may come in any order, also between two passes of one command buffer. Without a "
        "decoder "
        "nobody can tell what a pass on less than was asked for has room for: there only what "
        "all passes have done is judged. One later pass may be refused, since its command finds no "
        "room in so little; where three are and none is taken, the driver cannot go on.",
    .applies = render::translating,
    .check = check,
    .played_in = kPatchListConfigurations |
                 ConfigurationSet{Configured::PaddedCommands, Configured::Contextless},
    .scenario = R"(
about: ten counting commands and a DMA buffer that is a few commands too short, or so many that it takes three passes; then with two bindings; then by lists that are full; then of two devices, in turn
ops:
# The shortest list of the built-in driver. Who does not read this has room for more than one command.
- configure: {setting: PatchLocationListSize, value: 16}
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_context: {context: 0}
# A driver may leave out the releases at the end of a buffer that has no room for them, and be done
# in one pass: so much less is more than two of them, and less than ten commands.
)" TEN_WITH_LESS(48)
        TEN_IN_TWO_PASSES TEN_IN_THREE_PASSES TWO_BINDINGS_IN_PASSES PASSES_BY_LISTS PASSES_IN_TURN,
    .control = R"(
about: the same in one pass; then in buffers, and with a list, that have grown
ops:
- create_allocation: {allocation: 0, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 0}
- add: {slot: 0, offset: 4}
- add: {slot: 0, offset: 8}
- add: {slot: 0, offset: 12}
- idle
# More than was asked for, as Windows may give, and than numbers of 16 bits can say.
- render: {context: 0, dma_measure: needed_times, dma_bytes: 1024, patch_measure: needed_times, patch_capacity: 32768}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 0, value: 2}
- add: {slot: 0, offset: 16}
- idle
- render: {context: 0, dma_measure: needed_times, dma_bytes: 4096}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 0, value: 3}
- add: {slot: 0, offset: 20}
- idle
)",
    .fault = {.about = "the third pass begins again where the second has begun",
              .interposer = [] { return std::unique_ptr<Interposer>(new GoesBackOnce); }}};

#undef TEN_OF
#undef TEN_WITH_LESS
#undef TEN_EACH_WITH_LESS
#undef TWO_BINDINGS_WITH_LESS
#undef TEN_IN_TWO_PASSES
#undef TEN_IN_THREE_PASSES
#undef TWO_BINDINGS_IN_PASSES
#undef PASSES_IN_TURN
#undef ALL_SLOTS_BOUND
#undef TEN_DRAWS_AT
#undef DRAWS_WITH_LESS
#undef PASSES_BY_LISTS

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::render_005
