// Renamed allocations from end to end: what the driver is asked about them, what user mode may
// still name, and what becomes of a buffer that goes back.
#include <string>
#include <vector>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class Instances : public ReplayTest {
 protected:
  std::size_t calls(DdiId ddi) const {
    std::size_t count = 0;
    const Trace& trace = replayer_.trace();
    for (const std::uint32_t index : trace.of<ev::DdiEntered>()) {
      count += trace.at<ev::DdiEntered>(index).ddi == static_cast<std::uint32_t>(ddi) ? 1 : 0;
    }
    return count;
  }
  /// Of buffers of commands.
  std::size_t submissions() const {
    std::size_t count = 0;
    const Trace& trace = replayer_.trace();
    for (const std::uint32_t index : trace.of<ev::Submitted>()) {
      count += trace.at<ev::Submitted>(index).paging == 0 ? 1 : 0;
    }
    return count;
  }
};

constexpr const char* kRenamed = R"(
ops:
- create_allocation: {allocation: 3, pages: 2, cpu_visible: true}
- create_context: {context: 0}
- rename_allocation: {allocation: 1, source: 3}
- cpu_write: {allocation: 1, offset: 4096}
)";

TEST_F(Instances, TheDriverHearsOfNoneAndTheyEndWithTheirAllocation) {
  EXPECT_TRUE(run(scenario_of(std::string(kRenamed) + R"(
- destroy_allocation: {allocation: 1}
- evict: {allocation: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- idle
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- destroy_allocation: {allocation: 3}
- create_allocation: {allocation: 1}
)"))
                  .failures.empty());
  // That of the markers is the third.
  EXPECT_EQ(calls(DdiId::CreateAllocation), 3u);
  EXPECT_EQ(calls(DdiId::OpenAllocation), 3u);
  EXPECT_EQ(calls(DdiId::CloseAllocation), 3u);
  EXPECT_EQ(calls(DdiId::DestroyAllocation), 3u);
  const std::vector<std::string> why = skipped();
  ASSERT_FALSE(why.empty());
  EXPECT_EQ(why[0], "it is an instance, which ends with its allocation");
}

TEST_F(Instances, UserModeNamesNoneThatIsOlder) {
  EXPECT_TRUE(run(scenario_of(std::string(kRenamed) + R"(
- render: {context: 0}
- bind: {slot: 0, allocation: 3}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 0, value: 1}
- copy: {slot: 1, source: 0}
- bind: {slot: 2, allocation: 3}
- fill: {slot: 2, value: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 3}
- fill: {slot: 0, value: 3}
- idle
)"))
                  .failures.empty());
  EXPECT_EQ(submissions(), 2u);
}

TEST_F(Instances, OneThatComesAgainMayBeNamedBehindThoseThatWereNewer) {
  EXPECT_TRUE(run(scenario_of(std::string(kRenamed) + R"(
- render: {context: 0}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- evict: {allocation: 3}
- reuse_instance: {allocation: 3}
- cpu_write: {allocation: 3, offset: 4}
- render: {context: 0}
- bind: {slot: 0, allocation: 3}
- fill: {slot: 0, value: 3}
- idle
)"))
                  .failures.empty());
  EXPECT_EQ(submissions(), 2u);
  EXPECT_EQ(calls(DdiId::CreateAllocation), 2u) << "that of the markers is the other";
}

TEST_F(Instances, ABufferThatGoesBackNeverRuns) {
  const Rule& rule = *find_rule("BIND-007");
  run(scenario_of(rule.scenario));
  EXPECT_EQ(submissions(), 3u);
  run(scenario_of(rule.scenario), &rule.fault);
  EXPECT_EQ(submissions(), 0u);
  EXPECT_EQ(skipped(), std::vector<std::string>(3,
                                                "VidMm rejects the buffer: "
                                                "STATUS_GRAPHICS_INVALID_ALLOCATION_INSTANCE"));
}

}  // namespace
}  // namespace wddm::harness
