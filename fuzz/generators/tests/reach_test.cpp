// What generated scenarios reach on the built-in driver. A fuzzer that does nothing looks green:
// each event here is one that a family exists for, and none of them may become extinct.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "fuzz/generators/generate.h"
#include "fuzz/generators/tests/one_replayer.h"
#include "reference/vidmm/paging_step.h"

namespace wddm::fuzz {
namespace {

constexpr std::uint32_t kSeeds = 300;

struct Reached {
  std::uint32_t scenarios = 0;
  std::uint32_t splits = 0, forced_splits = 0, evictions = 0, unbinds = 0;
  std::uint32_t preempted = 0, resubmitted = 0, merged_reports = 0, hangs = 0;
  std::uint32_t refused_renders = 0, refused_buffers = 0, changed_inputs = 0, passes = 0;
  std::uint32_t relative_passes = 0;  // of buffers whose size counts from what is needed
  std::uint32_t failed_starts = 0;
  std::uint32_t leaks_allowed = 0;
  std::uint32_t resumed_paging = 0, paging_again = 0, unpatched_paging = 0;
  std::uint32_t stopped_behind_others = 0, runs_after_preemption = 0;
};

void count_plans(const Trace& trace, Reached& reached) {
  for (const std::uint32_t index : trace.of<ev::PortionPlanned>()) {
    const auto portion = trace.at<ev::PortionPlanned>(index);
    reached.splits += portion.index != 0;
    reached.forced_splits += portion.why == static_cast<std::uint32_t>(CutReason::NoMemory);
    for (const auto& step : trace.blob<PagingStepRecord>(trace.events()[index])) {
      const auto kind = static_cast<vidmm::StepKind>(step.kind);
      reached.evictions += kind == vidmm::StepKind::TransferOut ||
                           kind == vidmm::StepKind::UnmapAperture ||
                           kind == vidmm::StepKind::Discard;
    }
  }
}

void count_leaks(const Trace& trace, Reached& reached) {
  for (const std::uint32_t index : trace.of<ev::LeakJudged>()) {
    reached.leaks_allowed += trace.at<ev::LeakJudged>(index).ran == 0;
  }
}

void count_paging(const Trace& trace, Reached& reached) {
  for (const std::uint32_t index : trace.of<ev::PagingDone>()) {
    const auto done = trace.at<ev::PagingDone>(index);
    reached.resumed_paging += done.passes > 1 && done.gave_up == 0;
    reached.unpatched_paging += done.patched == 0;
  }
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto submitted = trace.at<ev::Submitted>(index);
    reached.paging_again += submitted.paging != 0 && submitted.again != 0;
  }
}

void count_renders(const Trace& trace, Reached& reached) {
  for (const std::uint32_t index : trace.of<ev::Rendered>()) {
    const auto rendered = trace.at<ev::Rendered>(index);
    reached.refused_renders += rendered.status >= 0xc0000000 && rendered.multipass_out == 0;
    reached.passes += rendered.pass != 0;
    for (const auto& element : trace.blob<PatchRecord>(trace.events()[index])) {
      reached.unbinds += element.allocation_index == 0;
    }
  }
}

void count_packets(const Trace& trace, Reached& reached) {
  for (const std::uint32_t index : trace.of<ev::PacketEnded>()) {
    const auto ended = trace.at<ev::PacketEnded>(index);
    reached.preempted += ended.fate == static_cast<std::uint32_t>(PacketFate::Preempted);
  }
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    reached.resubmitted += trace.at<ev::Submitted>(index).again;
  }
  for (const std::uint32_t index : trace.of<ev::PreemptAsked>()) {
    reached.stopped_behind_others += trace.at<ev::PreemptAsked>(index).outstanding > 1;
  }
  for (const std::uint32_t index : trace.of<ev::MarkerRead>()) {
    reached.runs_after_preemption += trace.at<ev::MarkerRead>(index).reason ==
                                     static_cast<std::uint32_t>(MarkerReason::AfterPreempted);
  }
  for (const std::uint32_t index : trace.of<ev::DpcEntered>()) {
    reached.merged_reports += trace.at<ev::DpcEntered>(index).merged > 1;
  }
}

void count(const Trace& trace, Reached& reached) {
  ++reached.scenarios;
  count_plans(trace, reached);
  count_leaks(trace, reached);
  count_paging(trace, reached);
  count_renders(trace, reached);
  count_packets(trace, reached);
  reached.hangs += static_cast<std::uint32_t>(trace.of<ev::Stuck>().size());
  reached.refused_buffers += static_cast<std::uint32_t>(trace.of<ev::BufferRefused>().size());
  reached.changed_inputs += static_cast<std::uint32_t>(trace.of<ev::InputChanged>().size());
  reached.failed_starts += trace.of<ev::Running>().empty();
}

// Render is called at the last element of its list.
void count_relative(const Trace& trace, const Scenario& scenario, Reached& reached) {
  for (const std::uint32_t index : trace.of<ev::Rendered>()) {
    std::size_t op = trace.events()[index].op;
    if (trace.at<ev::Rendered>(index).pass == 0 || op >= scenario.ops.size()) continue;
    while (op != 0 && scenario.ops[op].kind != OpKind::Render) --op;
    const Op& render = scenario.ops[op];
    reached.relative_passes += render.kind == OpKind::Render && (render.b != 0 || render.c != 0);
  }
}

// Runs each scenario of a family once, whatever the number of tests that ask.
class Runs {
 public:
  const Reached& of(Family family) {
    Reached& reached = reached_[static_cast<std::size_t>(family)];
    for (std::uint32_t seed = reached.scenarios; seed < kSeeds; ++seed) run(family, seed, reached);
    return reached;
  }

 private:
  void run(Family family, std::uint32_t seed, Reached& reached) {
    Random random(seed);
    Scenario scenario;
    scenario.ops = generate(family, random);
    const harness::Judged& judged = one_replayer().run({.scenario = &scenario});
    count(one_replayer().trace(), reached);
    count_relative(one_replayer().trace(), scenario, reached);
    if (judged.failures.empty() && judged.harness.empty()) return;
    ADD_FAILURE() << (judged.failures.empty() ? judged.harness[0] : judged.failures[0].id)
                  << " in scenario " << seed << " of " << family_name(family) << "\n"
                  << print_scenario(scenario);
  }

  std::array<Reached, kFamilies> reached_{};
};

const Reached& reached_by(Family family) {
  static Runs runs;
  return runs.of(family);
}

TEST(Reach, PatchLists) {
  const Reached& reached = reached_by(Family::PatchLists);
  EXPECT_GT(reached.splits, 500u);
  EXPECT_GT(reached.forced_splits, 40u);
  EXPECT_GT(reached.evictions, 150u);
  EXPECT_GT(reached.leaks_allowed, 200u);
  EXPECT_GT(reached.unbinds, 1000u);
  EXPECT_GT(reached.refused_buffers, 10u);
  EXPECT_GT(reached.passes, 20u);
  EXPECT_GT(reached.relative_passes, 5u);
}

TEST(Reach, BindingLeaks) {
  const Reached& reached = reached_by(Family::BindingLeaks);
  EXPECT_GT(reached.splits, 500u);
  EXPECT_GT(reached.forced_splits, 20u);
  EXPECT_GT(reached.unbinds, 500u);
  EXPECT_GT(reached.refused_renders, 50u);
}

TEST(Reach, Preemption) {
  const Reached& reached = reached_by(Family::Preemption);
  EXPECT_GT(reached.preempted, 100u);
  EXPECT_GT(reached.resubmitted, 100u);
  EXPECT_GT(reached.merged_reports, 20u);
  EXPECT_GT(reached.hangs, 5u);
  EXPECT_GT(reached.paging_again, 100u);
  EXPECT_GT(reached.stopped_behind_others, 40u);
  EXPECT_GT(reached.runs_after_preemption, 60u);
}

TEST(Reach, Splits) {
  const Reached& reached = reached_by(Family::Splits);
  EXPECT_GT(reached.splits, 500u);
  EXPECT_GT(reached.forced_splits, 15u);
  EXPECT_GT(reached.evictions, 80u);
  EXPECT_GT(reached.preempted, 20u);
}

TEST(Reach, Residency) {
  const Reached& reached = reached_by(Family::Residency);
  EXPECT_GT(reached.evictions, 30u);
  EXPECT_GT(reached.resumed_paging, 30u);
  EXPECT_GT(reached.paging_again, 40u);
  EXPECT_GT(reached.unpatched_paging, 300u);
}

TEST(Reach, HostileRender) {
  const Reached& reached = reached_by(Family::HostileRender);
  EXPECT_GT(reached.refused_renders, 300u);
  EXPECT_GT(reached.changed_inputs, 100u);
}

TEST(Reach, Failures) {
  EXPECT_GT(reached_by(Family::Failures).failed_starts, 30u);
}

TEST(Reach, Schedules) {
  const Reached& reached = reached_by(Family::Schedules);
  EXPECT_GT(reached.preempted, 30u);
  EXPECT_GT(reached.merged_reports, 5u);
  EXPECT_GT(reached.forced_splits, 15u);
  EXPECT_GT(reached.evictions, 40u);
}

TEST(Reach, Everything) {
  const Reached& reached = reached_by(Family::Everything);
  EXPECT_GT(reached.splits, 100u);
  EXPECT_GT(reached.preempted, 20u);
  EXPECT_GT(reached.evictions, 10u);
  EXPECT_GT(reached.refused_renders, 30u);
  EXPECT_GT(reached.hangs, 1u);
}

}  // namespace
}  // namespace wddm::fuzz
