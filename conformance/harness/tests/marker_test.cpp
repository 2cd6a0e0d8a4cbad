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

// What the scenario wants next is said before VidMm takes what was built.
TEST_F(Marker, SUBMIT_005_NothingRunsOfWhatIsBuiltMeanwhileAndOfNothingElse) {
  const auto ran = [this](const std::string& ops) {
    EXPECT_TRUE(run(scenario_of("ops:\n- create_context\n" + ops + "- idle\n")).failures.empty());
    std::size_t packets = 0;
    const Trace& trace = replayer_.trace();
    for (const std::uint32_t index : trace.of<ev::MarkerRead>()) {
      const auto read = trace.at<ev::MarkerRead>(index);
      packets += read.reason == static_cast<std::uint32_t>(MarkerReason::AtEnd) ? read.runs : 0;
    }
    return packets;
  };
  EXPECT_EQ(ran("- render\n- null_rendering\n"), 1u);
  EXPECT_EQ(ran("- null_rendering\n- render\n- null_rendering: {on: false}\n"), 0u);
}

}  // namespace
}  // namespace wddm::harness
