// Which walks are held to be astray.
#include "conformance/host/gpuva/tables/walk_judge.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

constexpr ProcessId kWalked{1}, kUnwalked{2};
constexpr std::uint64_t kRoot = 0x10000, kLeaf = 0x20000, kOthers = 0x30000;

class WalkJudgeTest : public HostTest {
 protected:
  WalkJudgeTest() {
    gpummu::GpuMmuCaps caps;
    caps.virtual_address_bit_count = 30;
    caps.page_table_level_count = 2;
    const gpummu::PageTableLevelDesc levels[] = {{9, SegmentId{1}, SegmentId{1}, 4096, 4096},
                                                 {0, SegmentId{1}, SegmentId{1}, 4096, 4096}};
    const gpummu::ReportedSegment segments[] = {{}};
    judge_.begin(*gpummu::check_geometry(caps, levels, segments).geometry);
    judge_.appeared(table(kRoot, kWalked, 1, 4));
    judge_.appeared(table(kLeaf, kWalked, 0, 512));
    judge_.appeared(table(kOthers, kUnwalked, 0, 512));
    judge_.submitted({}, FenceId{7}, kWalked);
  }

  static SeenTable table(std::uint64_t first, ProcessId process, std::uint32_t level,
                         std::uint32_t entries) {
    return {.first = first,
            .bytes = 4096,
            .system = false,
            .process = process,
            .level = level,
            .entries = entries};
  }
  static WddmDeviceEvent walk(std::uint64_t va, std::uint64_t entry, std::uint32_t level) {
    WddmDeviceEvent record{};
    record.kind = WDDM_DEVICE_WALK;
    record.tag = 7;
    record.address = va;
    record.entry_address = entry;
    record.length = 8;
    record.level = level;
    return record;
  }
  /// Why each walk went astray that did.
  std::vector<AstrayWalk> astray(std::initializer_list<WddmDeviceEvent> walks) {
    for (const WddmDeviceEvent& each : walks) judge_.walked(each, 0);
    std::vector<AstrayWalk> why;
    for (const auto& each : seen<ev::WalkAstray>()) why.push_back(AstrayWalk{each.why});
    return why;
  }

  WalkJudge judge_;
};

constexpr std::uint64_t kVa = 0x203000;  // root entry 1, leaf entry 3

TEST_F(WalkJudgeTest, WalksToTheEntriesOfItsOwnTablesAreRight) {
  EXPECT_TRUE(astray({walk(kVa, kRoot + 8, 1), walk(kVa, kLeaf + 24, 0)}).empty());
  judge_.report();
  judge_.report();
  const auto judged = seen<ev::WalksJudged>();
  ASSERT_EQ(judged.size(), 1u);
  EXPECT_EQ(judged[0].walks, 2u);
  EXPECT_EQ(judged[0].astray, 0u);
}

TEST_F(WalkJudgeTest, EachWayToGoAstrayHasItsName) {
  judge_.left(table(kLeaf, kWalked, 0, 512));
  EXPECT_EQ(
      astray({walk(kVa, 0x90000, 0), walk(kVa, kLeaf + 24, 0), walk(kVa, kOthers + 24, 0),
              walk(kVa, kRoot + 24, 0), walk(kVa, kRoot + 16, 1), walk(0x800000, kRoot + 32, 1)}),
      (std::vector{AstrayWalk::NoTable, AstrayWalk::FormerTable, AstrayWalk::OtherSpace,
                   AstrayWalk::OtherLevel, AstrayWalk::OtherIndex, AstrayWalk::BehindRoot}));
}

TEST_F(WalkJudgeTest, APlaceThatATableHasAgainIsNoFormerOne) {
  judge_.left(table(kLeaf, kWalked, 0, 512));
  judge_.appeared(table(kLeaf, kWalked, 0, 512));
  EXPECT_TRUE(astray({walk(kVa, kLeaf + 24, 0)}).empty());
}

// A root of two entries where one of four was.
TEST_F(WalkJudgeTest, BehindARootThatBecameSmallerIsNoFormerTable) {
  SeenTable root = table(kRoot, kWalked, 1, 4);
  root.bytes = 32;
  judge_.left(table(kRoot, kWalked, 1, 4));
  judge_.appeared(root);
  judge_.left(root);
  root.bytes = 16;
  root.entries = 2;
  judge_.appeared(root);
  EXPECT_TRUE(astray({walk(kVa, kRoot + 8, 1)}).empty());
  EXPECT_EQ(astray({walk(0x600000, kRoot + 24, 1)}), std::vector{AstrayWalk::BehindRoot});
  EXPECT_EQ(astray({walk(0x600000, kRoot + 16, 1)}).back(), AstrayWalk::FormerTable);
}

TEST_F(WalkJudgeTest, TablesWithRoomBetweenEntriesAreRead) {
  judge_.appeared(table(0x50000, kWalked, 0, 256));
  EXPECT_TRUE(astray({walk(kVa, 0x50000 + 3 * 16, 0)}).empty());
}

TEST_F(WalkJudgeTest, HowManyBytesAnEntryHasWalksTell) {
  EXPECT_TRUE(astray({walk(0x200000, kLeaf, 0)}).empty());
  EXPECT_EQ(judge_.entry_bytes(0), 0u) << "the first entry is first whatever it has";
  EXPECT_EQ(astray({walk(kVa, kLeaf + 32, 0)}).size(), 1u);
  EXPECT_EQ(judge_.entry_bytes(0), 0u) << "that was none of its entries";
  EXPECT_EQ(astray({walk(kVa, kLeaf + 24, 0)}).size(), 1u) << "as before";
  EXPECT_EQ(judge_.entry_bytes(0), 8u);
  EXPECT_EQ(judge_.entry_bytes(1), 0u);
  EXPECT_EQ(judge_.entry_bytes(7), 0u) << "there is no such level";
}

TEST_F(WalkJudgeTest, OfAPacketThatNobodySubmittedNothingIsSaid) {
  WddmDeviceEvent unknown = walk(kVa, 0x90000, 0);
  unknown.tag = 8;
  EXPECT_TRUE(astray({unknown}).empty());
  judge_.report();
  EXPECT_TRUE(seen<ev::WalksJudged>().empty());
}

TEST_F(WalkJudgeTest, LeavesOfReservedAddressesAreTheDriversOwn) {
  const gpummu::VaRange reserved{{0x200000}, 0x200000};
  judge_.reserve(kWalked, {&reserved, 1});
  EXPECT_TRUE(astray({walk(kVa, 0x90000, 0)}).empty());
  EXPECT_EQ(astray({walk(0x403000, 0x90000, 0)}).size(), 1u) << "behind them";
  EXPECT_EQ(astray({walk(kVa, kOthers + 24, 0)}).size(), 2u) << "another process's table";
  judge_.report();
  EXPECT_EQ(seen<ev::WalksJudged>().back().reserved, 2u);
}

}  // namespace
}  // namespace wddm::host
