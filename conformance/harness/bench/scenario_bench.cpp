// What one scenario costs when a process runs one after the other, as fuzzers do, and where it
// goes: the adapter's life, the ops, the checks, putting memory back.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "conformance/harness/isolate/replayer.h"
#include "conformance/host/memory/memory.h"
#include "conformance/rules/scratch.h"

namespace wddm::harness {
namespace {

// 32 ops of the kinds a fuzzer makes: two contexts, rendering with cuts, paging, preemption.
constexpr const char* kThirtyTwoOps = R"(
ops:
- create_allocation: {allocation: 0, pages: 2, place: local}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, pages: 3, place: aperture}
- create_allocation: {allocation: 3}
- create_allocation: {allocation: 4}
- create_context: {context: 0}
- create_context: {context: 1, node: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 0}
- copy: {slot: 1, source: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1}
- bind: {slot: 0, allocation: 3}
- copy: {slot: 0, source: 1}
- render: {context: 1}
- bind: {slot: 2, allocation: 4}
- add: {slot: 2}
- spin: {units: 50}
- advance: {units: 10}
- preempt: {node: 1}
- evict: {allocation: 1}
- render: {context: 0}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 64}
- move: {allocation: 0}
- query_fence: {node: 0}
- idle
)";

constexpr const char* kNoOps = "ops:\n- start\n";

Scenario scenario_of(const char* text) {
  Scenario scenario;
  TextError error;
  if (!parse_scenario(text, "scenario_bench", scenario, error)) {
    std::fprintf(stderr, "%s\n", error.message.c_str());
    std::exit(2);
  }
  return scenario;
}

Replayer& replayer() {
  static Replayer instance;
  return instance;
}

void whole(benchmark::State& state, const char* text) {
  const Scenario scenario = scenario_of(text);
  const RunRequest request{.scenario = &scenario};
  for (auto _ : state) benchmark::DoNotOptimize(replayer().run(request).events);
  state.counters["events"] = replayer().run(request).events;
}
BENCHMARK_CAPTURE(whole, 32_ops, kThirtyTwoOps)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(whole, start_and_stop, kNoOps)->Unit(benchmark::kMicrosecond);

// As fuzz targets run it: a small memory segment is compared faster, and short sooner.
void whole_in_32_pages(benchmark::State& state) {
  const Scenario scenario = scenario_of(kThirtyTwoOps);
  const Op pages{.kind = OpKind::Configure,
                 .a = static_cast<std::uint8_t>(Setting::LocalSegmentPages),
                 .x = 32};
  const RunRequest request{.scenario = &scenario, .settings = {pages}};
  for (auto _ : state) benchmark::DoNotOptimize(replayer().run(request).events);
}
BENCHMARK(whole_in_32_pages)->Unit(benchmark::kMicrosecond);

void execution(benchmark::State& state, const char* text) {
  const Scenario scenario = scenario_of(text);
  const RunRequest request{.scenario = &scenario};
  for (auto _ : state) replayer().execute(request);
}
BENCHMARK_CAPTURE(execution, 32_ops, kThirtyTwoOps)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(execution, start_and_stop, kNoOps)->Unit(benchmark::kMicrosecond);

void judgement(benchmark::State& state, const char* text) {
  const Scenario scenario = scenario_of(text);
  const RunRequest request{.scenario = &scenario};
  replayer().execute(request);
  for (auto _ : state) benchmark::DoNotOptimize(replayer().judge(request).events);
}
BENCHMARK_CAPTURE(judgement, 32_ops, kThirtyTwoOps)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(judgement, start_and_stop, kNoOps)->Unit(benchmark::kMicrosecond);

// What each clause has of that.
void check(benchmark::State& state, const Rule* rule) {
  const Scenario scenario = scenario_of(kThirtyTwoOps);
  const RunRequest request{.scenario = &scenario};
  replayer().execute(request);
  static_cast<void>(replayer().judge(request));  // makes the ledgers that checks share
  const Platform platform = platform_of(replayer().trace());
  for (auto _ : state) {
    const ScratchScope scratch;
    Judgement judgement;
    rule->check(replayer().trace(), platform, judgement);
    benchmark::DoNotOptimize(judgement.times_reached());
  }
}

// The part of an execution that makes memory what it was.
void reset_of_memory(benchmark::State& state, const char* text) {
  const Scenario scenario = scenario_of(text);
  const RunRequest request{.scenario = &scenario};
  for (auto _ : state) {
    replayer().execute(request);
    const auto start = std::chrono::steady_clock::now();
    memory::reset();
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}
BENCHMARK_CAPTURE(reset_of_memory, 32_ops, kThirtyTwoOps)
    ->Unit(benchmark::kMicrosecond)
    ->UseManualTime();

}  // namespace
}  // namespace wddm::harness

int main(int argc, char** argv) {
  std::string error;
  if (!wddm::host::load({}, error)) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 2;
  }
  for (const wddm::Rule* rule : wddm::all_rules()) {
    benchmark::RegisterBenchmark(fmt::format("check/{}", rule->id).c_str(), wddm::harness::check,
                                 rule);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
