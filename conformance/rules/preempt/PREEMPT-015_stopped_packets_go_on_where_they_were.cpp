// PREEMPT-015: preemption and resumption change nothing in the result.

#include "conformance/rules/differing_memory.h"
#include "conformance/rules/preempt/every_place.h"
#include "conformance/rules/preempt/moved_while_stopped.h"
#include "conformance/rules/preempt/resubmissions.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/silent_engines.h"

namespace wddm::preempt_015 {
namespace {

using Used = ScratchMap<std::uint32_t, ScratchSet<std::uint32_t>>;  // allocations by render

template <class Listed>
void note(const Trace& trace, std::uint32_t index, Used& used) {
  ScratchSet<std::uint32_t>& list = used[trace.at<Listed>(index).render];
  for (const AllocationRecord& one : trace.blob<AllocationRecord>(trace.events()[index])) {
    if (one.allocation != kNone) list.insert(one.allocation);
  }
}

// Packets that were preempted and submitted again since memory was compared.
struct Resumed {
  Used used;
  ScratchSet<std::uint32_t> after_reset;  // Submitted: it had come back from a reset
  ScratchMap<std::uint32_t, std::uint32_t> by_allocation;  // Submitted
  bool any = false;
  std::uint32_t compared = kNone;  // event of the latest comparison

  explicit Resumed(const Trace& trace) {
    preempt::for_each_submission(trace, [&](const preempt::Submission& one) {
      if (one.from == preempt::CameBack::Reset) after_reset.insert(one.event);
    });
    for (const std::uint32_t index : trace.of<ev::RenderCalled>()) {
      note<ev::RenderCalled>(trace, index, used);
    }
    for (const std::uint32_t index : trace.of<ev::BufferBuilt>()) {
      note<ev::BufferBuilt>(trace, index, used);
    }
  }
  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    if (compared != kNone) forget();
    if (packet.paging != 0 || packet.again == 0 || after_reset.contains(index)) return;
    any = true;
    for (const std::uint32_t allocation : used[packet.render]) by_allocation[allocation] = index;
  }
  // The events of one comparison follow each other.
  void compare(std::uint32_t index) {
    if (compared != kNone && index != compared + 1) forget();
    compared = index;
  }

 private:
  void forget() {
    by_allocation.clear();
    any = false;
    compared = kNone;
  }
};

// Memory is compared when all is at rest. What a packet uses that came back is not as after a run
// in one go then, whoever ended last.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Resumed back(trace);
  for (const std::uint32_t index :
       trace.of_any<ev::Submitted, ev::MemoryChecked, ev::MemoryDiffers>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      back.submitted(index, trace.at<ev::Submitted>(index));
      continue;
    }
    back.compare(index);
    if (event.kind == EventKind::MemoryChecked) {
      const std::uint32_t packet = trace.at<ev::MemoryChecked>(index).object;
      if (back.any && !submit::memory_says_nothing(trace, packet, index)) judgement.reached(index);
      continue;
    }
    const auto difference = trace.at<ev::MemoryDiffers>(index);
    if (submit::memory_says_nothing(trace, difference.cause_object, index)) continue;
    const auto found = back.by_allocation.find(difference.object);
    const bool owned = difference.where == static_cast<std::uint32_t>(MemoryPlace::Allocation);
    const bool paged = difference.cause == static_cast<std::uint32_t>(MemoryCause::Paging) &&
                       difference.inside != 0;
    if (!owned || paged || found == back.by_allocation.end()) continue;
    judgement.fail(index, "the bytes of a run in which nothing was preempted",
                   difference_text(difference) + ", after a packet that was preempted and went on",
                   {found->second});
  }
}

NotApplicable stopped_in_the_middle(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  return platform.scheduling.preemption_aware() ? nullptr : "PreemptionAware is 0";
}

// A packet of the context adds to its allocation at one place, is stopped, and has another still to
// add to.
// clang-format off
#define STOPPED_ON(node_number, context_and_allocation, offset, next_offset) \
  "- render: {context: " #context_and_allocation "}\n" \
  "- bind: {slot: 0, allocation: " #context_and_allocation "}\n" \
  "- add: {slot: 0, offset: " #offset ", value: 1}\n" \
  "- spin: {units: 400}\n" \
  "- add: {slot: 0, offset: " #next_offset ", value: 1}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 100}\n" \
  "- preempt: {node: " #node_number "}\n" \
  "- advance: {units: 20}\n"
#define STOPPED(context_and_allocation, offset, next_offset) \
  STOPPED_ON(0, context_and_allocation, offset, next_offset)
// A Render in several passes: the packet of one of them adds, is stopped, and has more to add.
#define PASS_STOPPED(bytes) \
  "- render: {context: 0, dma_measure: needed_minus, dma_bytes: " #bytes "}\n" \
  "- bind: {slot: 0, allocation: 0}\n" \
  "- add: {slot: 0, offset: 16, value: 1}\n" \
  "- add: {slot: 0, offset: 20, value: 1}\n" \
  "- add: {slot: 0, offset: 24, value: 1}\n" \
  "- spin: {units: 400}\n" \
  "- add: {slot: 0, offset: 28, value: 1}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 100}\n" \
  "- preempt: {node: 0}\n" \
  "- advance: {units: 60}\n" \
  "- preempt: {node: 0}\n" \
  "- idle\n"
// A Render in two portions, of which the second does the same.
#define PORTION_STOPPED(splits) \
  "- split_points: {take: mask, mask: " #splits "}\n" \
  "- render: {context: 0}\n" \
  "- bind: {slot: 0, allocation: 0}\n" \
  "- add: {slot: 0, offset: 32, value: 1}\n" \
  "- bind: {slot: 1, allocation: 0}\n" \
  "- add: {slot: 1, offset: 36, value: 1}\n" \
  "- add: {slot: 0, offset: 40, value: 1}\n" \
  "- spin: {units: 400}\n" \
  "- add: {slot: 1, offset: 44, value: 1}\n" \
  "- advance: {units: 20}\n- advance: {units: 20}\n- advance: {units: 20}\n" \
  "- advance: {units: 20}\n- advance: {units: 20}\n- advance: {units: 20}\n" \
  "- preempt: {node: 0}\n" \
  "- idle\n"
// Packets of one shape.
#define ALIKE(context_and_allocation, offset, next_offset) \
  "- render: {context: " #context_and_allocation "}\n" \
  "- bind: {slot: 0, allocation: " #context_and_allocation "}\n" \
  "- add: {slot: 0, offset: " #offset ", value: 1}\n" \
  "- spin: {units: 2000}\n" \
  "- add: {slot: 0, offset: " #next_offset ", value: 1}\n"
#define LETS_IT_BEGIN \
  "- advance: {units: 10}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 300}\n"
// clang-format on

const Rule kRule{
    .id = "PREEMPT-015",
    .title = "Preempting and resuming a packet changes nothing in the result",
    .evidence = Evidence::Memory,
    .rule =
        "Where a packet was stopped, and the state of its context there, are kept for as long as "
        "it takes until the packet is submitted again, whatever other contexts and paging run "
        "meanwhile, however many of them are stopped too, where the engine leaves the context by "
        "an empty packet (ContextSwitch), where others are cancelled, and where it or another "
        "engine is reset for a packet of another device, whether the packet is queued again by "
        "then or not. It then goes on from there, so that memory is as after a run without the "
        "preemption. Nothing is left of it for another packet that comes to lie where it lay in "
        "the queue.",
    .sources =
        "gpu-preemption.md # Memory mapping considerations (mid-DMA buffer preemption)\n"
        "ns-d3dkmddi-_dxgk_submitcommandflags.md # Resubmission, ContextSwitch\n"
        "tdr-changes-in-windows-8.md # Packets unaffected by engine reset",
    .note =
        "When a preempted packet comes back is Windows's choice. Judged is what a packet uses that "
        "came back since memory was compared last.",
    .unreached = "no packet that was stopped in its middle went on, where memory tells of it",
    .applies = stopped_in_the_middle,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::BuffersInAperture},
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
)" WDDM_MOVES_WHILE_STOPPED(2) R"(- advance: {units: 100}
- preempt: {node: 0}
- idle
# Within a copy of many pages: what was copied and what is left are both there in the end.
- create_allocation: {allocation: 3, pages: 24, place: local}
- create_allocation: {allocation: 4, pages: 24, place: local}
- make_resident: {allocation: 3}
- make_resident: {allocation: 4}
- render: {context: 0}
- bind: {slot: 0, allocation: 3}
- fill: {slot: 0, size: 32768, value: 0x33333333}
- fill: {slot: 0, offset: 32768, size: 32768, value: 0x44444444}
- fill: {slot: 0, offset: 65536, size: 32768, value: 0x55555555}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 3}
- bind: {slot: 1, allocation: 4}
- spin: {units: 20}
- copy: {slot: 1, source: 0, size: 98304}
- advance: {units: 10}
- advance: {units: 25}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 4}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, value: 0x66666666}
- advance: {units: 100}
- keep_stopped: {on: false}
- advance: {units: 100}
- idle
# What comes between has no commands: the engine leaves the context, and the null context; a packet
# of another one renders nothing.
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 20, value: 1}
- spin: {units: 400}
- add: {slot: 0, offset: 24, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 100}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 20}
- switch_context: {node: 0}
- advance: {units: 20}
- switch_context: {node: 0}
- advance: {units: 20}
- null_rendering
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- add: {slot: 0, offset: 8, value: 1}
- advance: {units: 20}
- advance: {units: 20}
- null_rendering: {on: false}
- keep_stopped: {on: false}
- advance: {units: 100}
- preempt: {node: 0}
- idle
# Three contexts in turn, of which the first is stopped once more when it has gone on.
- keep_stopped
)" STOPPED(0, 64, 68) STOPPED(1, 64, 68) STOPPED(2, 64, 68) R"(
- keep_stopped: {on: false}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 100}
- preempt: {node: 0}
- idle
# Its engine is reset meanwhile, for a packet of another device, of which others wait.
- create_device: {device: 1}
- create_context: {context: 3, device: 1}
- render: {context: 3}
- idle
- keep_stopped
)" STOPPED(0, 72, 76) R"(
- render: {context: 3}
- spin: {units: 400}
- render: {context: 3}
- spin: {units: 5}
- render: {context: 3}
- spin: {units: 5}
- render: {context: 3}
- spin: {units: 5}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 100}
- time_out: {node: 0}
- keep_stopped: {on: false}
- advance: {units: 10}
- advance: {units: 10}
- idle
# Each of two engines has one, and the second is reset for a packet of another device. On a driver
# with one node all this is done without it.
- create_allocation: {allocation: 6, place: local}
- make_resident: {allocation: 6}
- create_device: {device: 3}
- create_context: {context: 5, device: 3, node: 1}
- create_context: {context: 6, node: 1}
- render: {context: 5}
- render: {context: 6}
- idle
- keep_stopped
)" STOPPED(0, 88, 92) STOPPED_ON(1, 6, 0, 4) R"(
- render: {context: 5}
- spin: {units: 400}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 100}
- time_out: {node: 1}
- keep_stopped: {on: false}
- advance: {units: 10}
- advance: {units: 10}
- idle
# It is queued again behind a packet that faults, so that the reset takes it off once more before it
# has gone on.
- create_device: {device: 2, process: 1}
- create_context: {context: 4, device: 2}
- create_allocation: {allocation: 5, device: 2, place: local}
- make_resident: {allocation: 5}
- free_address: {allocation: 5}
- render: {context: 4}
- idle
- keep_stopped
)" STOPPED(0, 80, 84) R"(
- render: {context: 4}
- bind: {slot: 0, allocation: 5}
- spin: {units: 200}
- fill: {slot: 0, offset: 0, size: 64, value: 0x77777777}
- advance: {units: 10}
- advance: {units: 10}
- keep_stopped: {on: false}
- advance: {units: 10}
- advance: {units: 10}
- idle
# One that goes on has had every place of the queue before it ends. Packets of its shape that come to
# lie there are thrown out before they begin, by a preemption and by a reset for another device.
- queue_depth: {packets: 4}
)" ALIKE(0, 88, 92) LETS_IT_BEGIN WDDM_HAS_EVERY_PLACE(4) "- idle\n" ALIKE(0, 96, 100)
        ALIKE(1, 96, 100) ALIKE(2, 96, 100) ALIKE(1, 104, 108) LETS_IT_BEGIN R"(
- preempt: {node: 0}
- idle
- create_device: {device: 4}
- create_context: {context: 7, device: 4}
- render: {context: 7}
- idle
- render: {context: 7}
- spin: {units: 2000}
)" ALIKE(0, 112, 116) ALIKE(1, 112, 116) ALIKE(2, 112, 116) LETS_IT_BEGIN R"(
- time_out: {node: 0}
- idle
# It is stopped while it waits, and other contexts signal, of the other engine too.
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 120, value: 1}
- wait: {semaphore: 1, value: 5}
- add: {slot: 0, offset: 124, value: 1}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 20}
- render: {context: 6}
- signal: {semaphore: 1, value: 5}
- render: {context: 1}
- signal: {semaphore: 1, value: 5}
- advance: {units: 20}
- keep_stopped: {on: false}
- idle
)",
    .control = R"(
about: nothing comes between; and packets of passes, and of portions, of one Render
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
)" PASS_STOPPED(24) PASS_STOPPED(48) PASS_STOPPED(72) PASS_STOPPED(96) PASS_STOPPED(128)
        PASS_STOPPED(192) PORTION_STOPPED(1) PORTION_STOPPED(2) PORTION_STOPPED(4)
            PORTION_STOPPED(8),
    .fault = {.about = "where a packet was stopped is forgotten when another context runs",
              .seat = FaultSeat::Variant,
              .variant = 14,
              .also_fires = "SUBMIT-015"}};

#undef PORTION_STOPPED
#undef PASS_STOPPED
#undef STOPPED_ON
#undef STOPPED
#undef ALIKE
#undef LETS_IT_BEGIN

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_015
