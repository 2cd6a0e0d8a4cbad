// PREEMPT-015: preemption and resumption change nothing in the result.

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm {
namespace {

// Memory is compared when all is at rest: what differs then after a packet that was submitted more
// than once did not come about as in one go.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> again;  // last Submitted of packets that came back
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto submitted = trace.at<ev::Submitted>(index);
    if (submitted.paging == 0 && submitted.again != 0) again[submitted.packet] = index;
  }
  const auto differences = trace.of<ev::MemoryDiffers>();
  std::size_t next = 0;
  for (const std::uint32_t index : trace.of<ev::MemoryChecked>()) {
    const auto checked = trace.at<ev::MemoryChecked>(index);
    while (next < differences.size() && differences[next] < index) ++next;
    if (checked.cause != static_cast<std::uint32_t>(MemoryCause::Render)) continue;
    const auto found = again.find(checked.object);
    if (found == again.end() || found->second > index) continue;
    judgement.reached(index);
    if (checked.differences == 0 || next == differences.size()) continue;
    const auto difference = trace.at<ev::MemoryDiffers>(differences[next]);
    judgement.fail(differences[next], "the bytes of a run in which nothing was preempted",
                   std::to_string(difference.length) +
                       " bytes differ after a packet that was preempted and went on",
                   {found->second});
  }
}

NotApplicable stopped_in_the_middle(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  return platform.scheduling.preemption_aware() ? nullptr : "PreemptionAware is 0";
}

const Rule kRule{
    .id = "PREEMPT-015",
    .title = "Preempting and resuming a packet changes nothing in the result",
    .evidence = Evidence::Memory,
    .rule =
        "Where a packet was stopped, and the state of its context there, are kept for as long as "
        "it takes until the packet is submitted again, whatever other contexts and paging run "
        "meanwhile. It then goes on from there, so that memory is as after a run without the "
        "preemption.",
    .sources =
        "gpu-preemption.md # Memory mapping considerations (mid-DMA buffer preemption)\n"
        "ns-d3dkmddi-_dxgk_submitcommandflags.md # Resubmission",
    .note =
        "When a preempted packet comes back is Windows's choice. The last packet to end before "
        "memory is compared is the one that is judged.",
    .applies = stopped_in_the_middle,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a packet is stopped between two additions, and comes back after others of two contexts
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- create_context: {context: 0}
- create_context: {context: 1}
- create_context: {context: 2}
- idle
- queue_depth: {packets: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 0, value: 1}
- spin: {units: 400}
- add: {slot: 0, offset: 4, value: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 8, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 100}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 20}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, value: 0x11111111}
- add: {slot: 0, offset: 0, value: 1}
- spin: {units: 5}
- advance: {units: 400}
- fill_memory: {allocation: 2, pattern: 0x22222222}
- advance: {units: 400}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 12, value: 1}
- spin: {units: 400}
- add: {slot: 0, offset: 16, value: 1}
- render: {context: 2}
- bind: {slot: 0, allocation: 2}
- add: {slot: 0, offset: 0, value: 1}
- spin: {units: 50}
- add: {slot: 0, offset: 4, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 100}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 20}
- move: {allocation: 2}
- advance: {units: 400}
- keep_stopped: {on: false}
- advance: {units: 100}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: nothing comes between
ops:
- create_allocation: {allocation: 0, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 0, value: 1}
- spin: {units: 400}
- add: {slot: 0, offset: 4, value: 1}
- advance: {units: 100}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "where a packet was stopped is forgotten when another context runs",
              .seat = FaultSeat::Variant,
              .variant = 14,
              .also_fires = "SUBMIT-015"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
