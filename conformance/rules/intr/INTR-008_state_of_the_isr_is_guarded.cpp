// INTR-008: what the interrupt routine uses too is touched at device IRQL only.
//
// Seen by what becomes of an interrupt that comes in while the driver is in a DDI: a routine that
// finds things half done has nothing to report, or the wrong thing, and the packet is never told
// of. The other way round the DDI hands the hardware what the routine has handed it already.

#include <algorithm>
#include <utility>

#include "conformance/rules/fence/engine_history.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"

namespace wddm::intr_008 {
namespace {

// An interrupt that the driver claimed in the middle of a DDI.
struct Inside {
  std::uint32_t ddi = kNone;   // DdiEntered
  std::uint32_t left = kNone;  // IsrLeft
  bool reported = false;
  bool in_routine = false;  // of DxgkCbSynchronizeExecution
};

ScratchVector<Inside> interrupts_inside(const Trace& trace) {
  ScratchVector<Inside> all;
  std::uint32_t ddi = kNone;
  bool in_isr = false, reported = false, in_routine = false;
  for (const std::uint32_t index :
       trace.of_any<ev::DdiEntered, ev::DdiReturned, ev::IsrEntered, ev::IsrLeft, ev::Notified,
                    ev::SyncEntered, ev::SyncLeft>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      ddi = index;
    } else if (event.kind == EventKind::DdiReturned) {
      ddi = kNone;
    } else if (event.kind == EventKind::SyncEntered || event.kind == EventKind::SyncLeft) {
      in_routine = event.kind == EventKind::SyncEntered;
    } else if (event.kind == EventKind::IsrEntered) {
      in_isr = true;
      reported = false;
    } else if (event.kind == EventKind::Notified) {
      reported |= in_isr;
    } else if (event.kind == EventKind::IsrLeft) {
      in_isr = false;
      const bool claimed = Trace::as<ev::IsrLeft>(event).claimed != 0;
      if (ddi != kNone && claimed) all.push_back({ddi, index, reported, in_routine});
    }
  }
  return all;
}

// Where the call of a Submitted begins.
std::uint32_t call_of(const Trace& trace, std::uint32_t submitted) {
  const auto all = trace.of<ev::Submitted>();
  const auto found = std::lower_bound(all.begin(), all.end(), submitted);
  return trace.ledger<SubmissionCalls>().begun[static_cast<std::size_t>(found - all.begin())];
}

// A packet that has run, and for which no report came: an interrupt inside a call came too early
// or too late for it.
void check_uncovered(const Trace& trace, const Submission& submission,
                     std::span<const Inside> interrupts, Judgement& judgement) {
  const std::uint32_t call = call_of(trace, submission.event);
  for (const Inside& each : interrupts) {
    if (each.reported || each.left < call) continue;
    return judgement.fail(
        each.left, "the interrupt is taken before or after what the DDI does to shared state",
        "the routine had nothing to report, and no report covers "
        "SubmissionFenceId " +
            std::to_string(submission.packet.fence),
        {each.ddi, submission.event});
  }
}

// Packets that run again after their end, by the device's log. The interrupt is to blame where it
// came into the call that submitted the packet, and none runs twice that was submitted undisturbed:
// else SUBMIT-016 knows all there is to know.
void check_twice(const Trace& trace, std::span<const Inside> interrupts, Judgement& judgement) {
  struct Packet {
    std::uint32_t call = kNone, submitted = kNone;
    bool ended = false;
  };
  struct Again {
    Inside interrupt;
    std::uint32_t submitted, begun;
  };
  ScratchMap<std::pair<EngineId, std::uint32_t>, Packet> packets;  // by engine and fence
  ScratchVector<Again> again;
  bool undisturbed_too = false;
  in_order_of_calls<ev::DeviceLogged>(trace, [&](std::uint32_t index) {
    if (trace.events()[index].kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      packets[{engine_of(packet), packet.fence}] = {call_of(trace, index), index, false};
      return;
    }
    const auto record = trace.at<ev::DeviceLogged>(index);
    const auto found = packets.find({engine_of(record), record.tag});
    if (found == packets.end()) return;
    Packet& packet = found->second;
    packet.ended |= record.kind == WDDM_DEVICE_PACKET_END;
    if (record.kind != WDDM_DEVICE_PACKET_BEGIN || !packet.ended) return;
    const auto came_in = std::find_if(interrupts.begin(), interrupts.end(), [&](const Inside& one) {
      return one.ddi == packet.call && !one.in_routine && one.left < index;
    });
    if (came_in == interrupts.end()) {
      undisturbed_too = true;
    } else {
      again.push_back({*came_in, packet.submitted, index});
    }
  });
  if (undisturbed_too) return;
  for (const Again& one : again) {
    judgement.fail(one.interrupt.left,
                   "the interrupt is taken before or after what the DDI does to shared state",
                   "it came into the submission of SubmissionFenceId " +
                       std::to_string(trace.at<ev::Submitted>(one.submitted).fence) +
                       ", which the engine then runs twice",
                   {one.interrupt.ddi, one.submitted, one.begun});
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const ScratchVector<Inside> interrupts = interrupts_inside(trace);
  if (interrupts.empty()) return;
  check_twice(trace, interrupts, judgement);
  if (trace.of<ev::Ended>().empty()) return;
  const auto runs = runs_at_end(trace);
  if (runs.empty()) return;
  for (const Inside& each : interrupts) judgement.reached(each.left);
  for (const auto& [engine, submissions] : submissions_by_engine(trace)) {
    for_each_uncovered(submissions, [&](std::span<const Submission> left) {
      for (const Submission& submission : finished_for_good(left, runs)) {
        check_uncovered(trace, submission, interrupts, judgement);
      }
    });
  }
}

NotApplicable interrupted_commands(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  return platform.has_device ? nullptr : "no device: nothing interrupts";
}

// While the routine looks at what one engine has to tell, the other has something to tell too.
#define ENDS_BESIDE(point, units)                        \
  "- advance_inside: {point: " #point ", units: " #units \
  "}\n"                                                  \
  "- render: {context: 0}\n"                             \
  "- spin: {units: 10}\n"                                \
  "- render: {context: 1}\n"                             \
  "- spin: {units: 14}\n"                                \
  "- idle\n"

const Rule kRule{
    .id = "INTR-008",
    .title = "An interrupt inside of a DDI finds what it shares with the ISR whole",
    .evidence = Evidence::Memory,
    .rule =
        "Outside of the interrupt routine a driver accesses what it shares with that routine only "
        "in one that DxgkCbSynchronizeExecution runs. An interrupt that comes in at any other "
        "point of a DDI finds that state whole, and is reported.",
    .sources =
        "nc-dispmprt-dxgkcb_synchronize_execution.md\n"
        "nc-dispmprt-dxgkddi_interrupt_routine.md # Remarks",
    .note =
        "Accesses to memory are not seen. Judged are reports that are lost, and packets that run "
        "twice, behind interrupts that come in inside of DDIs: at "
        "register accesses and where locks are released.",
    .applies = interrupted_commands,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: the packet ends at each of the first points of the calls that submit it; then two end, one while the other is reported
ops:
- create_context: {context: 0}
- advance_inside: {point: 1, units: 60}
- render: {context: 0}
- spin: {units: 1}
- idle
- advance_inside: {point: 2, units: 60}
- render: {context: 0}
- spin: {units: 1}
- idle
- advance_inside: {point: 3, units: 60}
- render: {context: 0}
- spin: {units: 1}
- idle
- advance_inside: {point: 4, units: 60}
- render: {context: 0}
- spin: {units: 1}
- idle
- advance_inside: {point: 5, units: 60}
- render: {context: 0}
- spin: {units: 1}
- idle
- advance_inside: {point: 6, units: 60}
- render: {context: 0}
- spin: {units: 1}
- idle
- advance_inside: {point: 7, units: 60}
- render: {context: 0}
- spin: {units: 1}
- idle
- advance_inside: {point: 8, units: 60}
- render: {context: 0}
- spin: {units: 1}
- idle
- advance_inside: {point: 12, units: 60}
- render: {context: 0}
- spin: {units: 1}
- idle
- advance_inside: {point: 16, units: 60}
- render: {context: 0}
- spin: {units: 1}
- idle
- create_context: {context: 1, node: 1}
)" ENDS_BESIDE(1, 20) ENDS_BESIDE(1, 10) ENDS_BESIDE(2, 20) ENDS_BESIDE(2, 10) ENDS_BESIDE(3, 20)
        ENDS_BESIDE(4, 20),
    .control = R"(
about: it ends after the call
ops:
- create_context: {context: 0}
- advance_inside: {point: 1, units: 1}
- render: {context: 0}
- spin: {units: 60}
- idle
)",
    .fault = {.about = "a packet is noted behind the doorbell, with no lock held",
              .seat = FaultSeat::Variant,
              .variant = 15,
              .also_fires = "FENCE-001"}};

#undef ENDS_BESIDE

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::intr_008
