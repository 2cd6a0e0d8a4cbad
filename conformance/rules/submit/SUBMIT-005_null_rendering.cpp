// SUBMIT-005: of a packet with NullRendering nothing runs, and its fence is signalled in its turn.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/null_rendering.h"
#include "conformance/rules/submit/silent_engines.h"

namespace wddm::submit_005 {
namespace {

// That it completes, and when, are FENCE-001 and FENCE-002.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> asked;  // packet: its call
  for (const std::uint32_t index :
       trace.of_any<ev::DdiEntered, ev::MarkerRead, ev::MemoryDiffers>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      if (submit::runs_nothing(trace, index)) asked[trace.at<ev::DdiEntered>(index).object] = index;
      continue;
    }
    const bool is_marker = event.kind == EventKind::MarkerRead;
    std::uint32_t packet = kNone;
    if (is_marker) {
      packet = trace.at<ev::MarkerRead>(index).packet;
    } else {
      const auto differs = trace.at<ev::MemoryDiffers>(index);
      if (differs.cause == static_cast<std::uint32_t>(MemoryCause::Render)) {
        packet = differs.cause_object;
      }
    }
    const auto found = asked.find(packet);
    if (found == asked.end()) continue;
    const bool ran = !is_marker || trace.at<ev::MarkerRead>(index).runs != 0;
    if (!ran && submit::memory_says_nothing(trace, packet, index)) continue;
    judgement.reached(index);
    if (!ran) continue;
    judgement.fail(index, "nothing of a packet with NullRendering runs",
                   is_marker ? "its last command has run" : "memory that it names is changed",
                   {found->second});
  }
}

// A driver that does not know the flag.
class RendersAllTheSame final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    DXGKARG_SUBMITCOMMAND altered = *submit;
    altered.Flags.NullRendering = 0;
    return Interposer::SubmitCommand(adapter, &altered);
  }
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    DXGKARG_SUBMITCOMMANDVIRTUAL altered = *submit;
    altered.Flags.NullRendering = 0;
    return Interposer::SubmitCommandVirtual(adapter, &altered);
  }
};

const Rule kRule{
    .id = "SUBMIT-005",
    .title = "NullRendering signals the fence without executing",
    .evidence = Evidence::Memory,
    .rule =
        "A packet that is submitted with NullRendering completes in its turn like any other, and "
        "the GPU runs none of its commands.",
    .sources = "ns-d3dkmddi-_dxgk_submitcommandflags.md # NullRendering",
    .note =
        "Judged by what the last command of a packet writes, and by memory. That the packet "
        "completes is FENCE-001, that it does in its turn FENCE-002.",
    .applies = running_commands,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a packet with NullRendering behind a long one
ops:
- create_allocation: {allocation: 0, place: local}
- create_context: {context: 0}
- queue_depth: {packets: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x11111111}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- spin: {units: 100}
- null_rendering
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x22222222}
- idle
- null_rendering: {on: false}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 64, size: 64, value: 0x33333333}
- idle
)",
    .control = R"(
about: a packet with NullRendering is preempted before it begins, and comes again
ops:
- create_allocation: {allocation: 0, place: local}
- create_context: {context: 0}
- queue_depth: {packets: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x11111111}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- spin: {units: 300}
- null_rendering
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x22222222}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "the flag is ignored",
              .interposer = [] { return std::unique_ptr<Interposer>(new RendersAllTheSame); },
              .also_fires = "SUBMIT-015"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::submit_005
