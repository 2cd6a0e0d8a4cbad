// Which executions of an update say something of the driver, and which signs of its root.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::vpage_009 {
namespace {

class Vpage009 : public TraceTest {
 protected:
  Vpage009() { platform_.page_table_levels = 2; }
  void executed(std::uint32_t changed, std::uint32_t unlike = 0, std::uint64_t passed = 77) {
    add(ev::ContextAllocationWritten{.size = 4096,
                                     .passed = passed,
                                     .operation = DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION,
                                     .number = 0,
                                     .bytes = 8,
                                     .changed = changed,
                                     .unlike = unlike});
  }
  void returns() {
    add(ev::ContextAllocationUpdated{.given = 77, .number = 0, .bytes = 8, .setting = 1});
  }
  // A packet of a context whose new root was announced.
  void runs() {
    executed(8);
    returns();
    add(ev::RootSet{.place = 0x2000, .context = 1});
    add(ev::Submitted{.packet = 5, .fence = 6, .context = 1});
  }
  // An update of what lies at 0x9000, from a buffer at 0x7000.
  void faults(std::uint64_t address, std::uint32_t level, PacketFate fate = PacketFate::Faulted) {
    PagingArguments arguments;
    arguments.size = 4096;
    arguments.destination_address = 0x9000;
    add(ev::PagingBuilt{.operation = DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION},
        std::vector<PagingArguments>{arguments});
    add(ev::Submitted{.address = 0x7000, .packet = 4, .fence = 5, .end = 0x20, .paging = 1});
    add(ev::AccessFaulted{.address = address, .fence = 5, .level = level, .packet = 4});
    add(ev::PacketEnded{
        .packet = 4, .fence = 5, .fate = static_cast<std::uint32_t>(fate), .paging = 1});
    executed(0);
    returns();
  }
  void walks(AstrayWalk why, std::uint32_t level) {
    add(ev::WalkAstray{
        .address = 0x5000, .fence = 6, .level = level, .why = static_cast<std::uint32_t>(why)});
  }
};

TEST_F(Vpage009, TwoExecutionsAreAlike) {
  executed(8);
  executed(8);
  returns();
  EXPECT_TRUE(holds("VPAGE-009"));
  EXPECT_EQ(times_reached("VPAGE-009"), 2u);
}

TEST_F(Vpage009, TwoExecutionsDiffer) {
  executed(8);
  executed(8, 4);
  returns();
  EXPECT_FALSE(holds("VPAGE-009"));
}

TEST_F(Vpage009, WhatWritesNothingIsNotJudged) {
  executed(0);
  executed(0);
  returns();
  EXPECT_TRUE(holds("VPAGE-009"));
  EXPECT_EQ(times_reached("VPAGE-009"), 0u);
}

TEST_F(Vpage009, OtherDataThanTheDriverGaveSayNothingOfIt) {
  executed(8);
  executed(8, 4, 78);
  returns();
  EXPECT_TRUE(holds("VPAGE-009"));
  EXPECT_EQ(times_reached("VPAGE-009"), 1u);
}

TEST_F(Vpage009, AnUpdateFaultsBesideItsAllocation) {
  faults(0x9000 + 4096, 0);
  EXPECT_EQ(failures("VPAGE-009"), 1u);
}

TEST_F(Vpage009, AnUpdateFaultsInFrontOfItsAllocation) {
  faults(0x9000 - 8, 0);
  EXPECT_EQ(failures("VPAGE-009"), 1u);
}

TEST_F(Vpage009, WhereItsMemoryIsNotMappedOthersAreToBlame) {
  faults(0x9000, 0);
  faults(0x9000 + 4092, 0);
  faults(0x7010, 0);         // its own buffer
  faults(0x9000 + 4096, 1);  // no table of that part of the space
  EXPECT_TRUE(holds("VPAGE-009"));
}

TEST_F(Vpage009, AnotherPacketHasFaulted) {
  faults(0x9000 + 4096, 0, PacketFate::Completed);
  EXPECT_TRUE(holds("VPAGE-009"));
}

TEST_F(Vpage009, TheFormerRootIsRead) {
  runs();
  walks(AstrayWalk::FormerTable, 1);
  EXPECT_FALSE(holds("VPAGE-009"));
}

TEST_F(Vpage009, AnotherContextInTheSlotWasAnnouncedNothing) {
  executed(8);
  returns();
  add(ev::RootSet{.place = 0x2000, .context = 1});
  add(ev::ContextCreated{.context = 1});
  add(ev::Submitted{.packet = 5, .fence = 6, .context = 1});
  walks(AstrayWalk::FormerTable, 1);
  EXPECT_TRUE(holds("VPAGE-009"));
  EXPECT_EQ(times_reached("VPAGE-009"), 1u) << "the update alone";
}

TEST_F(Vpage009, WalksBelowTheRootSayNothingOfIt) {
  runs();
  walks(AstrayWalk::FormerTable, 0);
  walks(AstrayWalk::OtherIndex, 1);
  EXPECT_TRUE(holds("VPAGE-009"));
  EXPECT_EQ(times_reached("VPAGE-009"), 1u);
  add(ev::MemoryDiffers{.cause = static_cast<std::uint32_t>(MemoryCause::Render),
                        .cause_object = 5});
  EXPECT_FALSE(holds("VPAGE-009"));
}

}  // namespace
}  // namespace wddm::vpage_009
