// PATCH-006: DmaBufferPhysicalAddress is the buffer start, not the portion start.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/sync/rendered_commands.h"

namespace wddm::patch_006 {
namespace {

// A counter that is further by no more than this has run too often; anything else is another fault.
constexpr std::uint32_t kMostRepeats = 4096;

// Packets that begin inside their buffer, and whether what comes before them in it may count.
ScratchMap<std::uint32_t, bool> packets_inside_buffers(const Trace& trace) {
  ScratchMap<std::uint32_t, bool> packets;
  sync::Renders renders;
  for (const std::uint32_t index : trace.of_any<ev::OpStarted, ev::RenderCalled, ev::Submitted>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      renders.on(static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind));
    } else if (event.kind == EventKind::RenderCalled) {
      renders.built(trace.at<ev::RenderCalled>(index).render);
    } else {
      const auto packet = trace.at<ev::Submitted>(index);
      if (packet.paging != 0 || packet.start == 0) continue;
      packets[packet.packet] = renders.of(packet).counts;
    }
  }
  return packets;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto later_parts = packets_inside_buffers(trace);
  if (later_parts.empty()) return;
  const auto caused = [&](std::uint32_t cause, std::uint32_t packet) {
    return cause == static_cast<std::uint32_t>(MemoryCause::Render) && later_parts.contains(packet);
  };
  for (const std::uint32_t index : trace.of<ev::MemoryChecked>()) {
    const auto checked = trace.at<ev::MemoryChecked>(index);
    if (caused(checked.cause, checked.object) && later_parts.find(checked.object)->second) {
      judgement.reached(index);
    }
  }
  for (const std::uint32_t index : trace.of<ev::MemoryDiffers>()) {
    const auto differs = trace.at<ev::MemoryDiffers>(index);
    const std::uint32_t repeats = differs.seen - differs.expected;
    if (!caused(differs.cause, differs.cause_object) || differs.length > 4 || repeats == 0 ||
        repeats > kMostRepeats) {
      continue;
    }
    judgement.fail(index, "each part of the buffer runs once",
                   "a counter of an earlier part is " + std::to_string(repeats) + " too high");
  }
}

// A driver that starts every part at DmaBufferPhysicalAddress.
class StartsAtBuffer final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    DXGKARG_SUBMITCOMMAND altered = *submit;
    if (!altered.Flags.Paging) altered.DmaBufferSubmissionStartOffset = 0;
    return Interposer::SubmitCommand(adapter, &altered);
  }
};

const Rule kRule{
    .id = "PATCH-006",
    .title = "DmaBufferPhysicalAddress is the buffer start, not the portion start",
    .evidence = Evidence::Memory,
    .rule =
        "The GPU begins at DmaBufferPhysicalAddress + DmaBufferSubmissionStartOffset and stops "
        "at + DmaBufferSubmissionEndOffset, so that no part of a split buffer runs again with "
        "a later one.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_patch.md # DmaBufferPhysicalAddress, DmaBufferSegmentId\n"
        "ns-d3dkmddi-_dxgkarg_submitcommand.md # DmaBufferPhysicalAddress",
    .note =
        "SUBMIT-002 holds the same against the device log. Here memory is the evidence: a word "
        "that commands count up is judged, because a fill that runs twice leaves no trace.",
    .unreached = "no later part of a buffer was submitted by itself, where memory tells of it",
    .applies = patching,
    .check = check,
    .played_in = kPatchListConfigurations | ConfigurationSet{Configured::BuffersInAperture},
    .scenario = R"(
about: two parts, each counts in an allocation of its own
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0}
- bind: {slot: 0, allocation: 1}
- add: {slot: 0}
- idle
)",
    .control = R"(
about: the same in one part
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0}
- bind: {slot: 0, allocation: 1}
- add: {slot: 0}
- idle
)",
    .fault = {.about = "every part is started at the start of the buffer",
              .interposer = [] { return std::unique_ptr<Interposer>(new StartsAtBuffer); },
              .also_fires = "SPLIT-005 SUBMIT-002"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::patch_006
