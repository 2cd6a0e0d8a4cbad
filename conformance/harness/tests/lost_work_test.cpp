// Work that never ends, on the real host: whose fault it is.
#include <algorithm>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

// A driver that takes what contexts submit, and does nothing about it.
class DropsRenders final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    return submit->Flags.Paging ? Interposer::SubmitCommand(adapter, submit) : STATUS_SUCCESS;
  }
};

class DropsSecondRender final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    const bool drops = !submit->Flags.Paging && renders_++ == 1;
    return drops ? STATUS_SUCCESS : Interposer::SubmitCommand(adapter, submit);
  }

 private:
  unsigned renders_ = 0;
};

class DropsLaterPortions final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    return submit->DmaBufferSubmissionStartOffset == 0 ? Interposer::SubmitCommand(adapter, submit)
                                                       : STATUS_SUCCESS;
  }
};

// A driver that forgets its DPCs from a preemption request to a reset.
class ForgetsDpcs final : public Interposer {
 public:
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    forgets_ = true;
    return Interposer::PreemptCommand(adapter, preempt);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    forgets_ = false;
    return Interposer::ResetEngine(adapter, reset);
  }
  BOOLEAN QueueDpc(HANDLE adapter) override {
    return forgets_ ? TRUE : Interposer::QueueDpc(adapter);
  }

 private:
  bool forgets_ = false;
};

class LostWork : public ReplayTest {
 protected:
  static constexpr const char* kSplit = R"(
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- idle
)";

  template <class Kind>
  bool fails(const char* id, const std::string& text) {
    const Scenario scenario = scenario_of(text);
    const Fault fault = fault_of<Kind>();
    return says(run(scenario, &fault), id);
  }
};

TEST_F(LostWork, FENCE_001_ADriverThatDropsPacketsFails) {
  EXPECT_TRUE(
      fails<DropsRenders>("FENCE-001", "ops:\n- create_context\n- render\n- spin\n- idle\n"));
}

TEST_F(LostWork, FENCE_001_NobodyIsToBlameForAWait) {
  EXPECT_FALSE(fails<DropsRenders>(
      "FENCE-001", "ops:\n- create_context\n- render\n- wait: {semaphore: 1}\n- idle\n"));
}

TEST_F(LostWork, FENCE_001_AWaitForWhatWasSignalledIsNoExcuse) {
  constexpr const char* kSignalled =
      "ops:\n- create_context\n- render\n- signal: {semaphore: 1, value: 2}\n- idle\n"
      "- render\n- wait: {semaphore: 1, value: 2}\n- idle\n";
  constexpr const char* kSignalledLess =
      "ops:\n- create_context\n- render\n- signal: {semaphore: 1, value: 2}\n- idle\n"
      "- render\n- wait: {semaphore: 1, value: 3}\n- idle\n";
  EXPECT_TRUE(fails<DropsSecondRender>("FENCE-001", kSignalled));
  EXPECT_FALSE(fails<DropsSecondRender>("FENCE-001", kSignalledLess));
}

TEST_F(LostWork, SPLIT_006_ADriverThatDropsLaterPortionsFails) {
  EXPECT_TRUE(fails<DropsLaterPortions>("SPLIT-006", kSplit));
}

TEST_F(LostWork, SPLIT_006_AWholePacketThatIsDroppedIsNoPortion) {
  EXPECT_FALSE(fails<DropsRenders>("SPLIT-006", kSplit));
}

// Node 1 completes a packet while node 0 times out.
TEST_F(LostWork, ENGRST_007_AResetWaitsForNoDpcThatIsNotQueued) {
  const Scenario scenario = scenario_of(R"(
ops:
- create_context: {context: 0}
- create_context: {context: 1, node: 1}
- render: {context: 0}
- render: {context: 1}
- idle
- render: {context: 0}
- spin: {units: 300}
- render: {context: 1}
- spin: {units: 60}
- advance: {units: 20}
- time_out: {node: 0, late: 200}
- idle
)");
  const Fault fault = fault_of<ForgetsDpcs>();
  const Judged& judged = run(scenario, &fault);
  const Trace& trace = replayer_.trace();
  const auto asked = trace.of<ev::DependentsAsked>();
  const auto resets = trace.of<ev::EngineReset>();
  ASSERT_FALSE(asked.empty());
  ASSERT_FALSE(resets.empty());
  EXPECT_EQ(trace.events()[resets[0]].op, trace.events()[asked[0]].op);
  EXPECT_FALSE(says(judged, "ENGRST-007"));
  EXPECT_TRUE(says(judged, "INTR-004"));
}

}  // namespace
}  // namespace wddm::harness
