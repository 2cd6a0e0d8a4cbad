// GPU virtual addresses from end to end: the built-in driver with page tables of each shape, played
// through fills, moves, evictions and preemption, and memory as predicted after each.
//
// Left out: what clauses say.
#include <algorithm>
#include <string>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

class GpuVirtual : public ReplayTest, public testing::WithParamInterface<Shape> {};

constexpr const char* kVirtualWork = R"(
- start
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 40, place: local}
- create_allocation: {allocation: 2, pages: 3, place: aperture}
- make_resident: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 163840, value: 0x11223344}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 8192, size: 4096}
- idle
- move: {allocation: 1}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- spin: {units: 500}
- add: {slot: 1, offset: 4, value: 7}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- preempt: {node: 0}
- idle
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
- stop
)";

TEST_P(GpuVirtual, MemoryIsAsPredictedWhateverTheShapeOfThePageTables) {
  const std::string text = std::string("ops:\n- configure: {setting: Addressing, value: 1}\n") +
                           GetParam().settings + kVirtualWork;
  EXPECT_TRUE(run(scenario_of(text)).failures.empty());

  EXPECT_EQ(count<ev::OpSkipped>(), 0u);
  EXPECT_EQ(count<ev::Stuck>(), 0u);
  EXPECT_EQ(count<ev::MemoryDiffers>(), 0u);
  EXPECT_GT(count<ev::MemoryChecked>(), 10u);
  const auto submitted = replayer_.trace().of<ev::Submitted>();
  EXPECT_EQ(std::count_if(submitted.begin(), submitted.end(),
                          [this](std::uint32_t index) {
                            return replayer_.trace().at<ev::Submitted>(index).paging == 0;
                          }),
            3)
      << "two renders, of which one was preempted";
}

// The slot's next allocation is larger: at the old address it would reach into its neighbour.
TEST_P(GpuVirtual, AddressesOfWhatWasDestroyedAreNotThoseOfTheNext) {
  const std::string text = std::string("ops:\n- configure: {setting: Addressing, value: 1}\n") +
                           GetParam().settings + R"(
- start
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 1, place: local}
- create_allocation: {allocation: 2, pages: 1, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- idle
- destroy_allocation: {allocation: 1}
- create_allocation: {allocation: 1, pages: 40, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 2, offset: 0, size: 4096, value: 0x22222222}
- fill: {slot: 1, offset: 0, size: 163840, value: 0x11111111}
- idle
- stop
)";
  EXPECT_TRUE(run(scenario_of(text)).failures.empty());
  EXPECT_EQ(count<ev::OpSkipped>(), 0u);
  EXPECT_EQ(count<ev::Stuck>(), 0u);
  EXPECT_EQ(count<ev::MemoryDiffers>(), 0u);
}

// What scenarios do to addresses and tables, each in every shape: memory is as predicted, and the
// GPU reads no entry where there is none.
struct Work {
  const char* name;
  const char* ops;
};
constexpr Work kWorks[] = {{"TwoProcessesHaveTheSameAddresses", R"(
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, pages: 4, place: local}
- create_allocation: {allocation: 2, pages: 4, place: local, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x11223344}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x55667788}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 7}
- idle
- destroy_device: {device: 1}
)"},
                           {"MoreAddresses", R"(
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 4, place: local}
- create_allocation: {allocation: 2, pages: 4, place: aperture}
- map_address: {allocation: 1, at: next}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x11223344}
- idle
- map_address: {allocation: 1, at: bit, bit: 26}
- map_address: {allocation: 1, at: top}
- map_address: {allocation: 2, at: top}
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- add: {slot: 1, offset: 4, value: 7}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 8192}
- idle
- free_address: {allocation: 1}
- evict: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 7}
- idle
- free_address: {allocation: 2}
- free_address: {allocation: 1}
- map_address: {allocation: 2, at: same}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 1, source: 2, offset: 0, source_offset: 4096, size: 4096}
- idle
)"},
                           {"Protections", R"(
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 2, place: local}
- create_allocation: {allocation: 2, pages: 2, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 8192, value: 0x11223344}
- fill: {slot: 2, offset: 0, size: 8192, value: 0x55667788}
- idle
- map_address: {allocation: 1, at: next, protection: zero}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x99999999}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- add: {slot: 1, offset: 4, value: 1}
- idle
- free_address: {allocation: 1}
- map_address: {allocation: 1, at: next, protection: read_only}
- move: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 4096, size: 4096}
- idle
- map_address: {allocation: 2, at: same, protection: no_execute}
- render: {context: 1}
- bind: {slot: 2, allocation: 2}
- add: {slot: 2, offset: 4, value: 1}
- idle
)"},
                           {"MovedTables", R"(
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_context: {context: 3}
- create_allocation: {allocation: 1, pages: 4, place: local}
- create_allocation: {allocation: 2, pages: 4, place: local, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x11223344}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x55667788}
- move_table: {allocation: 1, level: 0}
- move_table: {allocation: 1, level: 5}
- move_table: {allocation: 2, level: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 4, value: 1}
- render: {context: 3}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
- move: {allocation: 1}
- render: {context: 3}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
)"},
                           {"EvictedTables", R"(
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 4, place: local}
- create_allocation: {allocation: 2, pages: 4, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x11223344}
- evict_tables: {device: 0}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- add: {slot: 1, offset: 4, value: 1}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- evict_tables: {device: 0}
- move: {allocation: 1}
- map_address: {allocation: 2, at: top}
- destroy_allocation: {allocation: 2}
- create_context: {context: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
- evict_tables: {device: 0}
)"}};

TEST_P(GpuVirtual, MemoryIsAsPredictedWhateverIsDoneToAddressesAndTables) {
  for (const Work& work : kWorks) {
    SCOPED_TRACE(work.name);
    const std::string text = std::string("ops:\n- configure: {setting: Addressing, value: 1}\n") +
                             GetParam().settings + "- start" + work.ops + "- stop\n";
    EXPECT_TRUE(run(scenario_of(text)).failures.empty());
    EXPECT_EQ(count<ev::OpSkipped>(), 0u);
    EXPECT_EQ(count<ev::Stuck>(), 0u);
    EXPECT_EQ(count<ev::Finding>(), 0u);
    EXPECT_EQ(count<ev::MemoryDiffers>(), 0u);
    EXPECT_EQ(count<ev::WalkAstray>(), 0u);
    EXPECT_GT(count<ev::WalksJudged>(), 3u);
    EXPECT_GT(count<ev::MemoryChecked>(), 3u);
  }
}

// In some shapes the tables of so many processes take all memory: what has no tables does not run.
TEST_P(GpuVirtual, WhereThereIsNoMemoryForTablesNothingRuns) {
  std::string text = std::string("ops:\n- configure: {setting: Addressing, value: 1}\n") +
                     GetParam().settings + "- start\n";
  for (int i = 1; i <= 20; ++i) {
    const std::string n = std::to_string(i);
    text += "- create_device: {device: " + n + ", process: " + n + "}\n" +
            "- create_context: {context: " + n + ", device: " + n + "}\n" +
            "- create_allocation: {allocation: " + n + ", device: " + n + ", place: local}\n" +
            "- map_address: {allocation: " + n + ", at: top}\n" + "- render: {context: " + n +
            "}\n- bind: {slot: 1, allocation: " + n + "}\n" +
            "- fill: {slot: 1, offset: 0, size: 4096, value: 0x11223344}\n" +
            "- move_table: {allocation: " + n + ", level: 0}\n- evict_tables: {device: " + n +
            "}\n";
  }
  EXPECT_TRUE(run(scenario_of(text + "- idle\n- stop\n")).failures.empty());
  EXPECT_EQ(count<ev::Stuck>(), 0u);
  EXPECT_EQ(count<ev::MemoryDiffers>(), 0u);
  EXPECT_EQ(count<ev::WalkAstray>(), 0u);
}

// Of updates that lead somewhere and of those that take it back; what leads to tables names none.
TEST_P(GpuVirtual, UpdatesNameThePartOfTheAllocationThatTheyAreAbout) {
  const std::string text = std::string("ops:\n- configure: {setting: Addressing, value: 1}\n") +
                           GetParam().settings + R"(
- start
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 40, place: local}
- make_resident: {allocation: 1}
- idle
- free_address: {allocation: 1, page: 10, pages: 3}
- free_address: {allocation: 1, page: 32, pages: 2}
- idle
- stop
)";
  EXPECT_TRUE(run(scenario_of(text)).failures.empty());
  EXPECT_EQ(count<ev::OpSkipped>(), 0u);
  const Trace& trace = replayer_.trace();
  std::uint32_t built = kNone, taken_back = 0;
  std::optional<std::uint64_t> base;
  for (const std::uint32_t index : trace.of_any<ev::PagingBuilt, ev::TableUpdated>()) {
    if (trace.events()[index].kind == EventKind::PagingBuilt) {
      built = index;
      continue;
    }
    const auto update = trace.at<ev::TableUpdated>(index);
    if (update.process == kSystemProcessNumber || update.allocation != 1) continue;
    ASSERT_NE(built, kNone);
    const auto arguments = trace.blob<PagingArguments>(trace.events()[built]);
    const auto entries = trace.blob<EntryRecord>(trace.events()[index]);
    ASSERT_FALSE(arguments.empty() || entries.empty());
    const std::uint64_t begins = update.first_va - arguments[0].offset;
    EXPECT_EQ(begins, base.value_or(begins)) << "where the allocation's first page is";
    base = begins;
    const bool valid = (entries[0].flags & entry_flag::kValid) != 0;
    EXPECT_TRUE(!valid || update.level == 0 || (entries[0].flags & entry_flag::kLargePage) != 0);
    if (!valid && arguments[0].offset != 0) ++taken_back;
  }
  EXPECT_GE(taken_back, 2u);
}

// Which a scenario cannot know beforehand of a driver: the op says so, and nothing else happens.
TEST_P(GpuVirtual, WhatCannotBeMappedIsSkipped) {
  const std::string text = std::string("ops:\n- configure: {setting: Addressing, value: 1}\n") +
                           GetParam().settings + R"(
- start
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- map_address: {allocation: 1, at: bit, bit: 62}
- map_address: {allocation: 1, at: same, protection: zero}
- map_address: {allocation: 9, at: next}
- evict_tables: {device: 7}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 1}
- idle
- stop
)";
  EXPECT_TRUE(run(scenario_of(text)).failures.empty());
  EXPECT_EQ(count<ev::OpSkipped>(), 5u);
  EXPECT_EQ(count<ev::Stuck>(), 0u);
  EXPECT_EQ(count<ev::MemoryDiffers>(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, GpuVirtual,
    testing::Values(Shape{"TwoLevels", ""},
                    Shape{"ThreeLevels", "- configure: {setting: PageTableLevels, value: 3}\n"},
                    Shape{"FiveLevels", "- configure: {setting: PageTableLevels, value: 5}\n"},
                    Shape{"UpdatesByPhysicalAddress",
                          "- configure: {setting: PageTableUpdateMode, value: 2}\n"},
                    Shape{"FourLevelsByPhysicalAddress",
                          "- configure: {setting: PageTableUpdateMode, value: 2}\n"
                          "- configure: {setting: PageTableLevels, value: 4}\n"},
                    Shape{"UpdatesByVirtualAddress",
                          "- configure: {setting: PageTableUpdateMode, value: 1}\n"},
                    Shape{"FourLevelsByVirtualAddress",
                          "- configure: {setting: PageTableUpdateMode, value: 1}\n"
                          "- configure: {setting: PageTableLevels, value: 4}\n"},
                    Shape{"UpdatesWhileIdleOfTablesThatAreEmptied",
                          "- configure: {setting: PageTableUpdateMode, value: 1}\n"
                          "- configure: {setting: UpdatesNeedIdle, value: 1}\n"
                          "- configure: {setting: ExplicitInvalidation, value: 1}\n"},
                    Shape{"InvalidEntriesCached",
                          "- configure: {setting: InvalidTlbEntriesCached, value: 1}\n"},
                    Shape{"PagesOf64KB", "- configure: {setting: PageSize64K, value: 1}\n"},
                    Shape{"SmallLeavesAndLargePages",
                          "- configure: {setting: IndexBits, value: 5}\n"
                          "- configure: {setting: LargePages, value: 1}\n"
                          "- configure: {setting: PageTableLevels, value: 3}\n"
                          "- configure: {setting: PageTableUpdateMode, value: 2}\n"},
                    Shape{"MemoryBehindNoBar",
                          "- configure: {setting: HighSegment, value: 1}\n"
                          "- configure: {setting: PageTableSegment, value: 3}\n"
                          "- configure: {setting: PageTableLevels, value: 4}\n"
                          "- configure: {setting: PageTableUpdateMode, value: 2}\n"},
                    Shape{"Pairs",
                          "- configure: {setting: PageSize64K, value: 1}\n"
                          "- configure: {setting: DualPte, value: 1}\n"
                          "- configure: {setting: PageTableUpdateMode, value: 2}\n"
                          "- configure: {setting: PageTableSegment, value: 0}\n"}),
    [](const testing::TestParamInfo<Shape>& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace wddm::harness
