// Which executions of an update say something of the driver, and which signs of its root.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm {
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
}  // namespace wddm
