// A link whose page directories lie in system memory, where the CPU writes them: one table for both
// GPUs. Leaf tables lie in the memory of each. No other link has page tables that the CPU writes
// (MMU-010).
#include <string>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

constexpr const char* kLinkSettings = R"(
ops:
- configure: {setting: Addressing, value: 1}
- configure: {setting: LinkedAdapters, value: 2}
)";
constexpr const char* kThreeLevels = "- configure: {setting: PageTableLevels, value: 3}\n";

constexpr const char* kBothGpus = R"(
- create_context: {context: 1}
- physical_adapter: {index: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, pages: 3, place: local}
- create_allocation: {allocation: 2, pages: 3, place: local, physical_adapter: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 8192, value: 0x11223344}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 4096, source_offset: 4096, size: 4096}
- idle
)";
constexpr const char* kRootMoves = R"(
- move_table: {allocation: 1, level: 5}
- evict: {allocation: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 1, source: 2, offset: 0, source_offset: 4096, size: 4096}
- idle
)";

// What this driver says of its leaf tables when they lie in the memory of its GPUs. It writes
// entries of any table wherever it is told to.
struct LeavesInMemoryOfGpus final : Interposer {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_PAGETABLELEVELDESC || !NT_SUCCESS(status)) return status;
    const auto* const asked = static_cast<const DXGK_QUERYPAGETABLELEVELDESCIN*>(query->pInputData);
    auto* const level = static_cast<DXGK_PAGE_TABLE_LEVEL_DESC*>(query->pOutputData);
    constexpr UINT kLocal = 1;
    if (asked->LevelIndex == 0) {
      level->PageTableSegmentId = level->PagingProcessPageTableSegmentId = kLocal;
    }
    return status;
  }
};

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
  const Fault leaves_in_memory_of_gpus_ = fault_of<LeavesInMemoryOfGpus>();
};

TEST_F(LinkedDirectories, AreOneForAllGpus) {
  play(kThreeLevels + std::string(kBothGpus) + kRootMoves, &leaves_in_memory_of_gpus_);
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
