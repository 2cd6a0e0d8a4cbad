// Whatever ran before, a scenario gives the same trace, the one that a process of its own gives,
// and memory does not grow.
#include "conformance/harness/isolate/replayer.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

struct BugChecks : Interposer {
  NTSTATUS StopDevice(PVOID) override { KeBugCheckEx(0x116, 1, 2, 3, 4); }
};

// Both leave frames of driver and host behind.
NTSTATUS wait_forever() {
  KEVENT never;
  KeInitializeEvent(&never, NotificationEvent, FALSE);
  return KeWaitForSingleObject(&never, Executive, KernelMode, FALSE, nullptr);
}
struct HangsInPatch : Interposer {
  NTSTATUS Patch(HANDLE, const DXGKARG_PATCH*) override { return wait_forever(); }
  NTSTATUS StopDevice(PVOID) override { return wait_forever(); }
};
struct HangsInPaging : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE, DXGKARG_BUILDPAGINGBUFFER*) override { return wait_forever(); }
  NTSTATUS StopDevice(PVOID) override { return wait_forever(); }
};

struct LeaksPool : Interposer {
  NTSTATUS AddDevice(PDEVICE_OBJECT physical, PVOID* context) override {
    static_cast<void>(ExAllocatePoolWithTag(NonPagedPool, 100, 0x6b61654c));
    return Interposer::AddDevice(physical, context);
  }
};

struct LeavesThread : Interposer {
  NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE callbacks,
                       PULONG sources, PULONG children) override {
    HANDLE thread = nullptr;
    static_cast<void>(
        PsCreateSystemThread(&thread, 0, nullptr, nullptr, nullptr, &sleep_forever, nullptr));
    return Interposer::StartDevice(context, info, callbacks, sources, children);
  }
  static void sleep_forever(PVOID) {
    LARGE_INTEGER hour;
    hour.QuadPart = -36'000'000'000;
    for (;;) KeDelayExecutionThread(KernelMode, FALSE, &hour);
  }
};

const Fault kHangsInPatch = fault_of<HangsInPatch>();
const Fault kHangsInPaging = fault_of<HangsInPaging>();
const Fault kBugChecks = fault_of<BugChecks>();
const Fault kLeaksPool = fault_of<LeaksPool>();
const Fault kLeavesThread = fault_of<LeavesThread>();
constexpr const Fault* kOthers[]{nullptr,     &kHangsInPatch, &kHangsInPaging,
                                 &kBugChecks, &kLeaksPool,    &kLeavesThread};

constexpr const char* kRendering = R"(
ops:
- create_allocation: {allocation: 0, pages: 2}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 0}
- copy: {slot: 1, source: 0}
- evict: {allocation: 0}
- idle
)";

// Events with their blobs. What follows a blob up to the next one belongs to nobody.
std::string bytes_of(const Trace& trace) {
  std::string bytes;
  for (const Event& event : trace.events()) {
    bytes.append(reinterpret_cast<const char*>(&event), sizeof event);
    bytes.append(trace.blob_text(event));
  }
  return bytes;
}

std::string text_of(const Trace& trace) {
  std::string text;
  for (std::uint32_t i = 0; i < trace.events().size(); ++i) text += print_event(trace, i) + '\n';
  return text;
}

class ReplayerTest : public ReplayTest {
 protected:
  std::string trace_of(const Scenario& scenario, const Fault* fault = nullptr) {
    run(scenario, fault);
    return bytes_of(replayer_.trace());
  }

  const Scenario rendering_ = scenario_of(kRendering);
};

std::string text_of_child(const std::function<void(Region&)>& run) {
  Region region(1u << 17, 64u << 20);
  const pid_t child = ::fork();
  if (child == 0) {
    run(region);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  return text_of(Trace(region.trace_storage(), region.events(), region.blobs()));
}

// With nothing left open behind the driver, and all memory compared at each point.
std::string text_of_own_process(const Scenario& scenario, const Fault* fault) {
  return text_of_child([&](Region& region) {
    execute_into({.scenario = &scenario, .fault = fault}, region, host::Process::OneRun);
  });
}

// The same behind another run, which had a fault.
std::string text_in_company(const Scenario& scenario, const Fault* others) {
  return text_of_child([&](Region& region) {
    Region before(1u << 17, 64u << 20);
    execute_into({.scenario = &scenario, .fault = others}, before, host::Process::SomeRuns);
    execute_into({.scenario = &scenario}, region, host::Process::SomeRuns);
  });
}

// A crash would end this process.
bool may_run(const Rule& rule) {
  return std::string_view(rule.fault.also_fires).find("CRASH") == std::string_view::npos;
}

TEST_F(ReplayerTest, AHangEndsTheRunOnly) {
  EXPECT_TRUE(run(rendering_, &kHangsInPatch).hung);
  EXPECT_TRUE(run(rendering_).ended);
}

TEST_F(ReplayerTest, ABugCheckEndsTheRunOnly) {
  EXPECT_TRUE(run(rendering_, &kBugChecks).bug_checked);
  EXPECT_TRUE(run(rendering_).ended);
}

// The forged word is the length of a spin.
TEST_F(ReplayerTest, TimeGoesOnBesideACommandThatHardlyEnds) {
  const Scenario forged = scenario_of(R"(
ops:
- create_context
- render
- spin
- tamper_command: {offset: 12, value: 0xb28b08bd}
- spin
- wait_time: {milliseconds: 50}
)");
  EXPECT_TRUE(run(forged).ended);
  EXPECT_EQ(replayer_.trace().of<ev::Stuck>().size(), 1u);
}

TEST_F(ReplayerTest, LeaksAreFoundInTheRunThatLeaks) {
  EXPECT_EQ(run(rendering_, &kLeaksPool).failures.at(0).id, "NT-PoolLeak");
  EXPECT_TRUE(run(rendering_).failures.empty());
}

TEST_F(ReplayerTest, ThreadsLeftAliveAreFoundInTheRunThatLeavesThem) {
  EXPECT_EQ(run(rendering_, &kLeavesThread).failures.at(0).id, "NT-ThreadAliveAtUnload");
  EXPECT_TRUE(run(rendering_).failures.empty());
}

TEST_F(ReplayerTest, AThousandRunsGiveOneTraceWhateverRanBetween) {
  const Scenario short_one = scenario_of("ops:\n- start\n");
  const std::string first = trace_of(rendering_);
  for (std::size_t i = 0; i < 1000; ++i) {
    run(i % 2 == 0 ? short_one : rendering_, kOthers[i % std::size(kOthers)]);
    ASSERT_EQ(trace_of(rendering_), first) << "run " << i;
  }
}

TEST_F(ReplayerTest, TheScenarioOfEachClauseGivesOneTraceWithAndWithoutItsFault) {
  std::vector<Scenario> scenarios;
  std::vector<std::string> first;
  std::vector<const Rule*> rules;
  for (const Rule* rule : all_rules()) {
    if (may_run(*rule)) rules.push_back(rule);
  }
  for (const Rule* rule : rules) scenarios.push_back(scenario_of(rule->scenario));
  for (std::size_t i = 0; i < rules.size(); ++i) {
    first.push_back(trace_of(scenarios[i], &rules[i]->fault));
    first.push_back(trace_of(scenarios[i]));
  }
  for (std::size_t i = rules.size(); i-- > 0;) {
    EXPECT_EQ(trace_of(scenarios[i]), first[2 * i + 1]) << rules[i]->id;
    EXPECT_EQ(trace_of(scenarios[i], &rules[i]->fault), first[2 * i]) << rules[i]->id;
  }
}

TEST_F(ReplayerTest, TheScenarioOfEachClauseGivesTheTraceOfAProcessOfItsOwn) {
  for (const Rule* rule : all_rules()) {
    if (!may_run(*rule)) continue;
    const Scenario scenario = scenario_of(rule->scenario);
    run(scenario, &rule->fault);
    EXPECT_EQ(text_of(replayer_.trace()), text_of_own_process(scenario, &rule->fault)) << rule->id;
    const Scenario control = scenario_of(rule->control);
    run(control);
    EXPECT_EQ(text_of(replayer_.trace()), text_of_own_process(control, nullptr)) << rule->id;
  }
}

// The GPU that it has for a while lies where the second one of the link lay.
TEST_F(ReplayerTest, TablesOfALinkAreGoneFromTheMemoryOfALaterStart) {
  const Scenario later = scenario_of(find_rule("TDR-004")->scenario);
  const Scenario link = with_settings(scenario_of(find_rule("FENCE-005")->scenario),
                                      settings_of(Configured::Linked));

  const std::string alone = text_of_own_process(later, nullptr);

  run(link);
  run(later);

  EXPECT_EQ(text_of(replayer_.trace()), alone);
}

TEST_F(ReplayerTest, RunsInCompanyAreWatchedAsCloselyAsOnesAlone) {
  const std::string alone = text_of_own_process(rendering_, nullptr);

  for (const Fault* others : kOthers) EXPECT_EQ(text_in_company(rendering_, others), alone);
}

TEST_F(ReplayerTest, MemoryDoesNotGrow) {
  const auto heap_after = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      for (const Fault* fault : kOthers) run(rendering_, fault);
    }
    return static_cast<std::ptrdiff_t>(::mallinfo2().uordblks);
  };
  const std::ptrdiff_t before = heap_after(100);
  // A buffer that is kept may still find its size, but nothing is lost with every round.
  EXPECT_LT(heap_after(100) - before, 100 * 16);
}

}  // namespace
}  // namespace wddm::harness
