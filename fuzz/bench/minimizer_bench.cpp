// How far minimizers get on inputs of 400 ops that hold a bug of 5, and in how many executions:
// ours, ddmin and rapidcheck's shrinking in this process; afl-tmin and libFuzzer where installed.
// Medians of 9 inputs. afl-tmin works on bytes and normalises them, libFuzzer never ends by itself
// and is stopped after 20 s.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "fuzz/bench/minimizer_peers.h"
#include "fuzz/bench/scenario_puzzle.h"
#include "fuzz/bench/toy_language.h"
#include "fuzz/minimizer/minimize.h"
#include "fuzz/minimizer/minimizer.h"

namespace wddm::fuzz {
namespace {

constexpr std::size_t kOps = 400;
constexpr std::size_t kMostOfRapidcheck = 1'000'000;

template <class Op>
Effort effort_of(const Minimized<Op>& result) {
  return {result.ops.size(), result.executions, result.executions_to_op_count};
}

std::size_t median(const std::vector<Effort>& efforts, std::size_t Effort::*member) {
  std::vector<std::size_t> values;
  for (const Effort& effort : efforts) values.push_back(effort.*member);
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void row(const char* who, const char* what, int seeds,
         const std::function<Effort(std::uint64_t)>& minimize) {
  std::vector<Effort> efforts;
  for (int seed = 1; seed <= seeds; ++seed) {
    efforts.push_back(minimize(static_cast<std::uint64_t>(seed)));
  }
  std::printf("%-12s %-10s %6zu %12zu %12zu\n", who, what, median(efforts, &Effort::ops),
              median(efforts, &Effort::executions_to_op_count),
              median(efforts, &Effort::executions));
  std::fflush(stdout);
}

template <toy::Handles handles>
void toy_rows(const char* what) {
  const ToyTest same = [](std::span<const toy::Op> ops) { return toy::bug_shows(ops, handles); };
  const auto input = [](std::uint64_t seed) { return toy::failing_input(seed, kOps, handles); };
  row("ours", what, 9, [&](std::uint64_t seed) {
    return effort_of(Minimizer<toy::Language<handles>>(same, {}).run(input(seed)));
  });
  row("ddmin", what, 9, [&](std::uint64_t seed) { return by_ddmin(input(seed), same); });
  row("rapidcheck", what, 3,
      [&](std::uint64_t seed) { return by_rapidcheck(input(seed), same, kMostOfRapidcheck); });
#ifdef WDDM_TOY_AFL
  row("afl-tmin", what, 3, [&](std::uint64_t seed) {
    return by_program("timeout 120 afl-tmin -i $IN -o $OUT -- " WDDM_TOY_AFL, input(seed), handles);
  });
#endif
#ifdef WDDM_TOY_LIBFUZZER
  row("libFuzzer", what, 3, [&](std::uint64_t seed) {
    return by_program("cp $IN $OUT; timeout 30 " WDDM_TOY_LIBFUZZER
                      " -minimize_crash=1 -max_total_time=20 -exact_artifact_path=$OUT $IN",
                      input(seed), handles);
  });
#endif
}

int bench() {
  std::printf("%-12s %-10s %6s %12s %12s\n", "", "handles", "ops", "to op count", "executions");
  toy_rows<toy::Handles::Explicit>("slots");
  toy_rows<toy::Handles::Ordinal>("ordinals");
  row("ours", "scenario", 9, [](std::uint64_t seed) {
    return effort_of(minimize_scenario(failing_puzzle(seed, kOps), puzzle_shows));
  });
  return 0;
}

}  // namespace
}  // namespace wddm::fuzz

int main() {
  return wddm::fuzz::bench();
}
