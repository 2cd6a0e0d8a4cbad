// Where in the driver a callback is made, with threads that take turns.
#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

using Place = ReplayTest;

// A policy may let another thread into the driver while an ISR runs on the other processor.
TEST_F(Place, INTR_002_ThreadsTakeTurnsEvenBesideAnIsr) {
  for (int seed = 0; seed < 64; ++seed) {
    const std::string schedule =
        "- schedule: {policy: random, seed: " + std::to_string(seed) + "}\n";
    const Scenario scenario = scenario_of(
        "ops:\n- create_context\n- create_context: {context: 1, node: 1}\n- queue_depth: {packets: "
        "2}\n"
        "- render\n- render: {context: 1}\n- render\n- render: {context: 1}\n" +
        schedule + "- preempt\n" + schedule + "- idle\n");
    const Judged& judged = run(scenario);
    EXPECT_TRUE(judged.failures.empty()) << seed << ": " << judged.failures.at(0).id;
  }
}

}  // namespace
}  // namespace wddm::harness
