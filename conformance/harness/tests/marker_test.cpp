// The words that tell whether a packet has run to its end, over more renders than there are words.
#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

using Marker = ReplayTest;

// More renders than there are words for their markers, and one that is stopped behind its own.
TEST_F(Marker, PREEMPT_007_AWordThatWasUsedBeforeTellsOfItsLastBufferOnly) {
  std::string text = "ops:\n- create_context\n";
  for (int i = 0; i < 1024; ++i) text += "- render\n- idle\n";
  text += "- queue_depth: {packets: 2}\n- render\n- spin: {units: 300}\n";
  text += "- advance: {units: 5}\n- preempt\n- idle\n";
  const Judged& judged = run(scenario_of(text));
  EXPECT_TRUE(judged.ended);
  EXPECT_TRUE(judged.failures.empty());
}

}  // namespace
}  // namespace wddm::harness
