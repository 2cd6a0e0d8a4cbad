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

class DropsLaterPortions final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    return submit->DmaBufferSubmissionStartOffset == 0 ? Interposer::SubmitCommand(adapter, submit)
                                                       : STATUS_SUCCESS;
  }
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
    return has(run(scenario, &fault), id);
  }
  static bool has(const Judged& judged, std::string_view id) {
    return std::any_of(judged.failures.begin(), judged.failures.end(),
                       [id](const auto& failure) { return failure.id == id; });
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

TEST_F(LostWork, SPLIT_006_ADriverThatDropsLaterPortionsFails) {
  EXPECT_TRUE(fails<DropsLaterPortions>("SPLIT-006", kSplit));
}

TEST_F(LostWork, SPLIT_006_AWholePacketThatIsDroppedIsNoPortion) {
  EXPECT_FALSE(fails<DropsRenders>("SPLIT-006", kSplit));
}

}  // namespace
}  // namespace wddm::harness
