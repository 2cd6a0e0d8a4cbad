// A link whose leaf tables lie in system memory, below directories in the memory of each GPU: every
// GPU has leaf tables of its own, at addresses of their own.
#include <map>
#include <set>
#include <string>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

constexpr const char* kLeavesInSystemMemory = R"(
- configure: {setting: Addressing, value: 1}
- configure: {setting: LinkedAdapters, value: 2}
- configure: {setting: PageTableLevels, value: 3}
)";
constexpr const char* kLeavesOfBothGpus = R"(
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
- move_table: {allocation: 1, level: 0}
- evict: {allocation: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 1, source: 2, offset: 0, source_offset: 4096, size: 4096}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
)";

// What this driver says of its leaf tables when they lie in system memory. It writes entries of any
// table wherever it is told to.
struct LeavesInSystemMemory final : Interposer {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_PAGETABLELEVELDESC || !NT_SUCCESS(status)) return status;
    const auto* const asked = static_cast<const DXGK_QUERYPAGETABLELEVELDESCIN*>(query->pInputData);
    auto* const level = static_cast<DXGK_PAGE_TABLE_LEVEL_DESC*>(query->pOutputData);
    if (asked->LevelIndex == 0) {
      level->PageTableSegmentId = level->PagingProcessPageTableSegmentId = 0;
    }
    return status;
  }
};

class LinkedLeaves : public ReplayTest {
 protected:
  void play(std::uint32_t mode) {
    const std::string update_mode =
        "- configure: {setting: PageTableUpdateMode, value: " + std::to_string(mode) + "}\n";
    const Judged& judged = run(scenario_of("ops:" + std::string(kLeavesInSystemMemory) +
                                           update_mode + (kLeavesOfBothGpus + 1)),
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
  const Fault fault_ = fault_of<LeavesInSystemMemory>();
};

TEST_F(LinkedLeaves, AreOfEachGpuWhereTheyAreWrittenByPlace) {
  play(2);
}

TEST_F(LinkedLeaves, AreOfEachGpuWhereTheyAreWrittenByAddress) {
  play(1);
}

}  // namespace
}  // namespace wddm::harness
