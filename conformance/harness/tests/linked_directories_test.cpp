// A link whose page directories lie in system memory, where the CPU writes them: one table for both
// GPUs. Leaf tables lie in the memory of each. No other link has page tables that the CPU writes
// (MMU-010).
#include <string>

#include "conformance/harness/tests/tables_of_links.h"

namespace wddm::harness {
namespace {

constexpr const char* kRootMoves = "- move_table: {allocation: 1, level: 5}\n";
constexpr UINT kMemoryOfGpus = 1;

class LinkedDirectories : public ReplayTest {
 protected:
  void play(const std::string& ops, const Fault* fault) {
    const Judged& judged = run(scenario_of(kLinkSettings + ops), fault);
    for (const Failure& failure : judged.failures) ADD_FAILURE() << failure.id;
    EXPECT_EQ(judged.start_trouble, "");
    EXPECT_EQ(judged.stopped, "");
  }
  std::string skipped() {
    std::string all;
    const Trace& trace = replayer_.trace();
    for (const std::uint32_t index : trace.of<ev::OpSkipped>()) {
      all += std::string(trace.blob_text(trace.events()[index])) + "\n";
    }
    return all;
  }
  /// Updates of directories for that GPU.
  std::uint32_t updates_for(std::uint32_t gpu) {
    std::uint32_t count = 0;
    for (const std::uint32_t index : replayer_.trace().of<ev::TableUpdated>()) {
      const auto update = replayer_.trace().at<ev::TableUpdated>(index);
      if (update.level == 0 || update.physical_adapter != gpu) continue;
      ++count;
      EXPECT_EQ(update.segment, 0u);
      EXPECT_EQ(update.mode, 0u) << "by the CPU";
      EXPECT_EQ(update.elsewhere, 0u) << "there is no other table";
    }
    return count;
  }
  const Fault leaves_in_memory_of_gpus_ = fault_of<LeavesIn<kMemoryOfGpus>>();
};

TEST_F(LinkedDirectories, AreOneForAllGpus) {
  play(kThreeLevels + std::string(kBothGpus) + kRootMoves + kBackFromAnEviction,
       &leaves_in_memory_of_gpus_);
  EXPECT_EQ(skipped(), "");
  EXPECT_NE(updates_for(0), 0u);
  EXPECT_NE(updates_for(1), 0u) << "each GPU is told";
  bool on_second = false;
  for (const std::uint32_t index : replayer_.trace().of<ev::RootSet>()) {
    const auto root = replayer_.trace().at<ev::RootSet>(index);
    EXPECT_EQ(root.segment, 0u);
    on_second |= root.physical_adapter == 1;
  }
  EXPECT_TRUE(on_second);
}

// The root of two levels.
TEST_F(LinkedDirectories, MayBeTheRootAlone) {
  play(kBothGpus, &leaves_in_memory_of_gpus_);
  EXPECT_EQ(skipped(), "");
}

// Leaf tables differ from GPU to GPU: in system memory, where the roots would have to lead to one
// of them, nobody says how.
TEST_F(LinkedDirectories, LeadToNoLeavesInSystemMemory) {
  play(kBothGpus, nullptr);
  EXPECT_NE(skipped().find("where they lie in the memory of its GPUs"), std::string::npos);
}

// Packets of one GPU may be late.
TEST_F(LinkedDirectories, AreNotWrittenByGpus) {
  play(
      "- configure: {setting: PageTableUpdateMode, value: 2}\n"
      "- configure: {setting: PageTableSegment, value: 0}\n" +
          std::string(kThreeLevels) + kBothGpus,
      &leaves_in_memory_of_gpus_);
  EXPECT_NE(skipped().find("directories that the CPU writes"), std::string::npos);
}

}  // namespace
}  // namespace wddm::harness
