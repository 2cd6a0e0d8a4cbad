// What packets show of an allocation whose contents have moved.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/copied_entries.h"

namespace wddm::pt_005 {
namespace {

class Pt005 : public TraceTest {
 protected:
  Pt005() { add(ev::RootSet{.context = 1}); }
  void moves(std::uint32_t allocation, std::uint32_t operation = DXGK_OPERATION_VIRTUAL_TRANSFER) {
    add(ev::PagingDone{.operation = operation, .allocation = allocation, .packet = 2});
  }
  void draws(std::uint32_t packet = 9) {
    add(ev::Submitted{
        .address = 0x7000, .packet = packet, .render = 7, .fence = packet, .context = 1});
  }
  void right() { add(ev::MemoryChecked{.object = 9}); }
  void differs(MemoryPlace where, std::uint32_t object = kNone, std::uint32_t packet = 9) {
    add(ev::MemoryDiffers{
        .where = static_cast<std::uint32_t>(where), .object = object, .cause_object = packet});
  }
  void maps(std::uint64_t address) {
    add(ev::TableUpdated{.first_va = address, .count = 1},
        std::vector<EntryRecord>{{.address = 0x9000, .flags = entry_flag::kValid}});
  }
  // An entry of the process becomes what another of it is.
  void copies(std::uint64_t from, std::uint64_t to) {
    add(ev::EntriesCopied{.count = 1},
        std::vector<CopiedFrom>{{.source_va = from, .first_va = to}});
  }
  void faults(std::uint64_t address) {
    add(ev::AccessFaulted{.address = address, .fence = 9, .packet = 9});
    add(ev::MarkerRead{.packet = 9, .expected = 1});
  }
  bool holds() { return TraceTest::holds("PT-005"); }
  std::uint32_t reached() { return times_reached("PT-005"); }
};

TEST_F(Pt005, ReachedWhereItLies) {
  moves(3);
  draws();
  right();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Pt005, APacketThatUsesNothingTellsNothing) {
  add(ev::PortionPlanned{.render = 7, .count = 1});  // the mark
  moves(3);
  draws();
  right();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Pt005, NorDoesOneThatUsesAnother) {
  add(ev::BufferBuilt{.render = 7, .count = 1}, std::vector<AllocationRecord>{{.allocation = 4}});
  moves(3);
  draws();
  right();
  EXPECT_EQ(reached(), 0u);
  moves(4);
  draws();
  right();
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Pt005, NotReachedThere) {
  moves(3);
  draws();
  differs(MemoryPlace::Allocation, 3);
  EXPECT_FALSE(holds());
}

TEST_F(Pt005, WrittenToItsOldPlace) {
  moves(3);
  draws();
  differs(MemoryPlace::FreeSegmentPage);
  EXPECT_FALSE(holds());
}

TEST_F(Pt005, OneOfSeveral) {
  moves(3);
  moves(4);
  draws();
  differs(MemoryPlace::Allocation, 3);
  EXPECT_FALSE(holds());
}

TEST_F(Pt005, AnotherAllocationIsAnothersMatter) {
  moves(3);
  draws();
  differs(MemoryPlace::Allocation, 4);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Pt005, AnAccessFindsNothing) {
  moves(3);
  draws();
  add(ev::AccessFaulted{.address = 0x5000, .fence = 9, .packet = 9});
  add(ev::MarkerRead{.packet = 9, .expected = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Pt005, AnAccessFindsNothingWhereAnEntryWasCopied) {
  maps(0x8000);
  copies(0x8000, 0x5000);
  moves(3);
  draws();
  faults(0x5000);
  EXPECT_FALSE(holds());
}

TEST_F(Pt005, WhereNothingWasCopiedThereIsNothingToFind) {
  maps(0x5000);
  copies(0x8000, 0x5000);
  moves(3);
  draws();
  faults(0x5000);
  EXPECT_TRUE(holds());
}

// Without its commands it has not come to any address.
TEST_F(Pt005, ItsCommandsAreNotFound) {
  moves(3);
  draws();
  add(ev::AccessFaulted{.address = 0x7000, .fence = 9, .packet = 9});
  add(ev::MarkerRead{.packet = 9, .expected = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Pt005, WhatWasSubmittedBeforeShowsNothing) {
  draws();
  moves(3);
  differs(MemoryPlace::Allocation, 3);
  right();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Pt005, AFillMovesNothing) {
  moves(3, DXGK_OPERATION_VIRTUAL_FILL);
  draws();
  differs(MemoryPlace::Allocation, 3);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::pt_005
