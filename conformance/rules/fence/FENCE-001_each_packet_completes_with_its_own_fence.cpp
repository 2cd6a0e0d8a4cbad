// FENCE-001: each submitted packet completes with its own fence.

#include <algorithm>
#include <set>

#include "conformance/host/interposer.h"
#include "conformance/rules/fence/device_says.h"
#include "conformance/rules/fence/engine_history.h"

namespace wddm::fence_001 {
namespace {

using Runs = ScratchMap<std::uint32_t, std::uint32_t>;

std::string report_of(const Submission& submission) {
  return "a report that covers SubmissionFenceId " + std::to_string(submission.packet.fence);
}

// Packets of one engine that a reset took off the hardware, or that the end of the trace left
// there.
void check_uncovered(const Trace& trace, std::span<const Submission> left, const Runs& runs,
                     Judgement& judgement) {
  for (const Submission& submission : finished_for_good(left, runs)) {
    judgement.fail(submission.event, report_of(submission),
                   "what its last command writes is in memory, and no report covers it" +
                       device_says(trace, submission.packet, kNone));
  }
}

// The oldest packet that an engine had, and that the driver took, when nothing went on any more, if
// a report brought it to its end after all: one that came with the reset of the adapter.
const Submission* told_by_reset(std::span<const Submission> submissions, std::uint32_t stuck) {
  for (const Submission& one : submissions) {
    if (one.event > stuck) return nullptr;
    const bool is_over = std::min(one.covered_by, one.lost_by) < stuck;
    if (is_over || one.packet.status != 0) continue;
    return one.covered_by != kNone ? &one : nullptr;
  }
  return nullptr;
}

// A driver whose interrupts never come finds out what has completed when it is reset.
void check_told_by_resets(const Trace& trace, Judgement& judgement) {
  for (const std::uint32_t stuck : trace.of<ev::Stuck>()) {
    if (trace.at<ev::Stuck>(stuck).excused != 0) continue;
    for (const auto& [engine, submissions] : submissions_by_engine(trace)) {
      const Submission* const late = told_by_reset(submissions, stuck);
      if (late == nullptr) continue;
      if (trace.events()[late->covered_by].kind != EventKind::Notified) continue;
      judgement.fail(
          stuck, report_of(*late),
          "none came until the adapter was reset" + device_says(trace, late->packet, stuck),
          {late->event, late->covered_by});
    }
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  check_told_by_resets(trace, judgement);
  // Only a trace that came to its end shows that no report is still to come.
  const bool complete = !trace.of<ev::Ended>().empty();
  const Runs runs = runs_at_end(trace);
  for (const auto& [engine, submissions] : submissions_by_engine(trace)) {
    for (const Submission& submission : submissions) {
      const std::uint32_t by = submission.covered_by;
      if (by == kNone || trace.events()[by].kind != EventKind::Notified) continue;
      judgement.reached(by);
    }
    if (!complete) continue;
    for_each_uncovered(submissions, [&](std::span<const Submission> left) {
      if (const Submission* const stopped = held_up_by_driver(trace, left)) {
        judgement.fail(stopped->lost_by, report_of(*stopped),
                       "none came until the engine was reset" +
                           device_says(trace, stopped->packet, stopped->lost_by),
                       {stopped->event});
      } else {
        check_uncovered(trace, left, runs, judgement);
      }
    });
  }
}

// A driver that reports, for packets of contexts, the sequence number of its ring.
class RingNumbers final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (!submit->Flags.Paging) from_context_.insert(submit->SubmissionFenceId);
    return Interposer::SubmitCommand(adapter, submit);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        from_context_.contains(data->DmaCompleted.SubmissionFenceId)) {
      altered.DmaCompleted.SubmissionFenceId += 0x1000;
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }

 private:
  std::set<UINT> from_context_;
};

// A packet ends at one point or another of what is called for the packet of the other engine, and
// of its interrupt routine.
// clang-format off
#define ENDS_IN_CALLS_FOR_THE_OTHER(number) \
  "- render: {context: 1}\n" \
  "- spin: {units: 200}\n" \
  "- advance: {units: 4}\n" \
  "- advance: {units: 4}\n" \
  "- advance_inside: {point: " #number ", units: 300}\n" \
  "- render: {context: 0}\n" \
  "- spin: {units: 20}\n" \
  "- advance: {units: 60}\n" \
  "- advance_inside: {units: 0}\n" \
  "- idle\n"
// The semaphore has the value, or more, when a packet comes to its wait: of its own context, of
// another engine, and once more when it was stopped behind it. Where a client has no such commands
// nothing is done.
#define WAITS_FOR_WHAT_IS_THERE \
  "- render: {context: 0}\n" \
  "- signal: {semaphore: 1, value: 2}\n" \
  "- idle\n" \
  "- render: {context: 0}\n" \
  "- wait: {semaphore: 1, value: 2}\n" \
  "- spin: {units: 400}\n" \
  "- wait: {semaphore: 1, value: 2}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 100}\n" \
  "- preempt: {node: 0}\n" \
  "- idle\n" \
  "- render: {context: 1}\n" \
  "- wait: {semaphore: 1, value: 1}\n" \
  "- idle\n"
#define EIGHT_PACKETS \
  "- render: {context: 0}\n- render: {context: 0}\n- render: {context: 0}\n" \
  "- render: {context: 0}\n- render: {context: 0}\n- render: {context: 0}\n" \
  "- render: {context: 0}\n- render: {context: 0}\n"
// clang-format on

const Rule kRule{
    .id = "FENCE-001",
    .title = "Each submitted packet completes with its own fence",
    .evidence = Evidence::Memory,
    .rule =
        "Every packet that is neither preempted nor reset finishes and is covered by a "
        "DXGK_INTERRUPT_DMA_COMPLETED, its own or a later one of the engine, whose "
        "SubmissionFenceId is that of the latest finished packet; a DMA_PREEMPTED covers it too, "
        "and "
        "a DMA_PAGE_FAULTED that names its fence or a later one.",
    .sources =
        "ne-d3dkmddi-_dxgk_interrupt_type.md # DXGK_INTERRUPT_DMA_COMPLETED\n"
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaCompleted\n"
        "submitting-a-command-buffer.md # steps 7-9",
    .note =
        "That a packet finished is read from its last command, an addition into CPU-visible "
        "memory, so that no device log is needed. One that never does counts where it is the "
        "oldest of its engine and neither it nor another that was submitted works for longer than "
        "the host waits, comes from hostile input, or waits for a semaphore that may be without "
        "its value: it has one that packets of the same process have signalled, where none signals "
        "less.",
    .applies = running_commands,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::FourLevels},
    .scenario = R"(
about: three packets, one after the other, and one on each node; then two of which one ends in calls for the other, and one that ends while the other node is preempted, or in calls for it; then waits for semaphores that have their value
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- idle
- each_node
- queue_depth: {packets: 2}
- advance_inside: {point: 1, units: 40}
- render: {context: 0}
- spin: {units: 60}
- render: {context: 0}
- spin: {units: 20}
- idle
- advance_inside: {point: 2, units: 40}
- render: {context: 0}
- spin: {units: 60}
- render: {context: 0}
- spin: {units: 20}
- idle
- advance_inside: {point: 3, units: 40}
- render: {context: 0}
- spin: {units: 60}
- render: {context: 0}
- spin: {units: 20}
- idle
- advance_inside: {point: 4, units: 40}
- render: {context: 0}
- spin: {units: 60}
- render: {context: 0}
- spin: {units: 20}
- idle
- advance_inside: {point: 5, units: 40}
- render: {context: 0}
- spin: {units: 60}
- render: {context: 0}
- spin: {units: 20}
- idle
- advance_inside: {point: 6, units: 40}
- render: {context: 0}
- spin: {units: 60}
- render: {context: 0}
- spin: {units: 20}
- idle
- advance_inside: {point: 7, units: 40}
- render: {context: 0}
- spin: {units: 60}
- render: {context: 0}
- spin: {units: 20}
- idle
- advance_inside: {point: 8, units: 40}
- render: {context: 0}
- spin: {units: 60}
- render: {context: 0}
- spin: {units: 20}
- idle
- advance_inside: {point: 9, units: 40}
- render: {context: 0}
- spin: {units: 60}
- render: {context: 0}
- spin: {units: 20}
- idle
- advance_inside: {point: 10, units: 40}
- render: {context: 0}
- spin: {units: 60}
- render: {context: 0}
- spin: {units: 20}
- idle
- advance_inside: {point: 11, units: 40}
- render: {context: 0}
- spin: {units: 60}
- render: {context: 0}
- spin: {units: 20}
- idle
- advance_inside: {point: 12, units: 40}
- render: {context: 0}
- spin: {units: 60}
- render: {context: 0}
- spin: {units: 20}
- idle
- advance_inside: {units: 0}
# One engine answers a request while the packet of the other ends, and one interrupt tells of both.
# On a driver with one node what this context does is skipped.
- create_context: {context: 1, node: 1}
- render: {context: 1}
- idle
- render: {context: 0}
- spin: {units: 3000}
- render: {context: 1}
- spin: {units: 100}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_interrupts
- preempt: {node: 0}
- advance: {units: 1000}
- hold_interrupts: {on: false}
- idle
- render: {context: 0}
- spin: {units: 100}
- render: {context: 1}
- spin: {units: 3000}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_interrupts
- preempt: {node: 1}
- advance: {units: 1000}
- hold_interrupts: {on: false}
- idle
)" ENDS_IN_CALLS_FOR_THE_OTHER(1) ENDS_IN_CALLS_FOR_THE_OTHER(2) ENDS_IN_CALLS_FOR_THE_OTHER(3)
        ENDS_IN_CALLS_FOR_THE_OTHER(4) ENDS_IN_CALLS_FOR_THE_OTHER(5) ENDS_IN_CALLS_FOR_THE_OTHER(6)
            ENDS_IN_CALLS_FOR_THE_OTHER(7) ENDS_IN_CALLS_FOR_THE_OTHER(8)
                ENDS_IN_CALLS_FOR_THE_OTHER(9) ENDS_IN_CALLS_FOR_THE_OTHER(10)
                    WAITS_FOR_WHAT_IS_THERE,
    .control = R"(
about: two packets in the hardware queue whose completions are reported by one interrupt; then as many as the queue was announced to hold, which end, are called off, and are behind one that hangs
ops:
- announce_queue: {packets: 64}
- create_context: {context: 0}
- queue_depth: {packets: 2}
- hold_dpcs
- render: {context: 0}
- spin: {units: 1}
- render: {context: 0}
- spin: {units: 1}
- advance: {units: 200}
- hold_dpcs: {on: false}
- idle
# What they need is there while the first still runs, so that all end behind one another.
- queue_depth: {packets: 64}
- render: {context: 0}
- spin: {units: 1000}
)" EIGHT_PACKETS EIGHT_PACKETS EIGHT_PACKETS EIGHT_PACKETS EIGHT_PACKETS R"(
- advance: {units: 40}
- advance: {units: 40}
- advance: {units: 40}
- advance: {units: 40}
- hold_interrupts
- advance: {units: 4000}
- hold_interrupts: {on: false}
- idle
# As many are called off in the middle of the first, and come again.
- render: {context: 0}
- spin: {units: 1000}
)" EIGHT_PACKETS EIGHT_PACKETS EIGHT_PACKETS EIGHT_PACKETS EIGHT_PACKETS R"(
- advance: {units: 40}
- advance: {units: 40}
- advance: {units: 40}
- advance: {units: 40}
- preempt: {node: 0}
- advance: {units: 200}
- idle
# Another device hangs, and its engine is reset with as many behind it.
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
- render: {context: 1}
- idle
- render: {context: 1}
- spin: {units: 1000000}
)" EIGHT_PACKETS EIGHT_PACKETS EIGHT_PACKETS EIGHT_PACKETS EIGHT_PACKETS R"(
- advance: {units: 40}
- advance: {units: 40}
- advance: {units: 40}
- advance: {units: 40}
- time_out: {node: 0}
- idle
)",
    .fault = {.about = "completions carry a number of the driver's own",
              .interposer = [] { return std::unique_ptr<Interposer>(new RingNumbers); },
              .also_fires = "FENCE-003"}};

#undef ENDS_IN_CALLS_FOR_THE_OTHER
#undef WAITS_FOR_WHAT_IS_THERE
#undef EIGHT_PACKETS

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::fence_001
