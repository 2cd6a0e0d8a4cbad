// A link whose leaf tables lie in system memory, below directories in the memory of each GPU: every
// GPU has leaf tables of its own, at addresses of their own.
#include <map>
#include <set>
#include <string>

#include "conformance/harness/tests/tables_of_links.h"

namespace wddm::harness {
namespace {

constexpr UINT kSystemMemory = 0;
constexpr const char* kLeafMoves = "- move_table: {allocation: 1, level: 0}\n";
constexpr const char* kAnotherUse = R"(
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
)";

class LinkedLeaves : public ReplayTest {
 protected:
  void play(std::uint32_t mode) {
    const std::string update_mode =
        "- configure: {setting: PageTableUpdateMode, value: " + std::to_string(mode) + "}\n";
    const Judged& judged =
        run(scenario_of(std::string(kLinkSettings) + kThreeLevels + update_mode + kBothGpus +
                        kLeafMoves + kBackFromAnEviction + kAnotherUse),
            &fault_);
    for (const Failure& failure : judged.failures) ADD_FAILURE() << failure.id;
    EXPECT_EQ(judged.start_trouble, "");
    EXPECT_EQ(judged.stopped, "");
    EXPECT_TRUE(replayer_.trace().of<ev::OpSkipped>().empty());
    expect_own_leaves();
  }

 private:
  void expect_own_leaves() {
    std::map<std::uint32_t, std::set<std::uint64_t>> places;  // by GPU
    for (const std::uint32_t index : replayer_.trace().of<ev::TableUpdated>()) {
      const auto update = replayer_.trace().at<ev::TableUpdated>(index);
      if (update.level != 0) continue;
      EXPECT_EQ(update.segment, 0u);
      EXPECT_EQ(update.elsewhere, 0u);
      places[update.physical_adapter].insert(update.place);
    }
    ASSERT_EQ(places.size(), 2u);
    for (const std::uint64_t place : places[1]) EXPECT_FALSE(places[0].contains(place));
  }
  const Fault fault_ = fault_of<LeavesIn<kSystemMemory>>();
};

TEST_F(LinkedLeaves, AreOfEachGpuWhereTheyAreWrittenByPlace) {
  play(2);
}

TEST_F(LinkedLeaves, AreOfEachGpuWhereTheyAreWrittenByAddress) {
  play(1);
}

}  // namespace
}  // namespace wddm::harness
