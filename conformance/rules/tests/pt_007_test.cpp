// Which writes are held to be updates of a table's old place.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::pt_007 {
namespace {

constexpr std::uint32_t kPacket = 3;

class Pt007 : public TraceTest {
 protected:
  Pt007() {
    platform_.page_table_levels = 3;
    add(ev::TableMoved{.from = 0x8000, .to = 0x9000, .process = 0, .level = 0});
    add(ev::Submitted{.packet = kPacket, .fence = 4, .context = kNone, .paging = 1});
  }
  void differs(MemoryPlace where, std::uint32_t offset, std::uint32_t operation) {
    add(ev::MemoryDiffers{.where = static_cast<std::uint32_t>(where),
                          .object = kNone,
                          .offset = offset,
                          .length = 8,
                          .cause = static_cast<std::uint32_t>(MemoryCause::Paging),
                          .cause_object = kPacket,
                          .operation = operation});
  }
  bool holds() { return TraceTest::holds("PT-007"); }
};

TEST_F(Pt007, AnUpdateOfTheOldPlace) {
  differs(MemoryPlace::FreeSegmentPage, 0x8018, DXGK_OPERATION_UPDATE_PAGE_TABLE);
  EXPECT_FALSE(holds());
}

TEST_F(Pt007, AnUpdateOfMemoryThatNeverWasATable) {
  differs(MemoryPlace::FreeSegmentPage, 0x7018, DXGK_OPERATION_UPDATE_PAGE_TABLE);
  EXPECT_TRUE(holds());
}

TEST_F(Pt007, AnotherOperationAtTheOldPlace) {
  differs(MemoryPlace::FreeSegmentPage, 0x8018, DXGK_OPERATION_VIRTUAL_FILL);
  EXPECT_TRUE(holds());
}

class Pt007Access : public Pt007 {
 protected:
  // A packet of the process, behind the move.
  void faults_at(std::uint32_t level) {
    add(ev::RootSet{.context = 1});
    add(ev::Submitted{.packet = 9, .fence = 5, .context = 1});
    add(ev::AccessFaulted{.address = 0x10000, .fence = 5, .level = level, .packet = 9});
    add(ev::MarkerRead{.packet = 9});
  }
};

TEST_F(Pt007Access, FindsNothingAtTheLevelThatMoved) {
  faults_at(0);
  EXPECT_FALSE(holds());
}

TEST_F(Pt007Access, FindsNothingAtAnotherLevel) {
  faults_at(1);
  EXPECT_TRUE(holds());
}

TEST_F(Pt007Access, APacketThatUsesNothingTellsNothing) {
  add(ev::PortionPlanned{.render = 7, .count = 1});  // the mark
  add(ev::PortionPlanned{.render = 8, .count = 2});
  add(ev::RootSet{.context = 1});
  add(ev::Submitted{.packet = 9, .render = 7, .fence = 5, .context = 1});
  add(ev::MemoryChecked{.object = 9});
  EXPECT_EQ(times_reached("PT-007"), 0u);
  add(ev::Submitted{.packet = 10, .render = 8, .fence = 6, .context = 1});
  add(ev::MemoryChecked{.object = 10});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-007"), 1u);
}

}  // namespace
}  // namespace wddm::pt_007
