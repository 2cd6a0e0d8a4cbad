// Processes that take turns on an engine.
#include "conformance/rules/tests/space_test.h"

namespace wddm::va_001 {
namespace {

class Va001 : public SpaceTest {
 protected:
  Va001() {
    root(1, 3, 0x1000);
    root(2, 4, 0x2000);
  }
  bool holds() { return TraceTest::holds("VA-001"); }
};

TEST_F(Va001, EachFindsItsMemory) {
  submitted(5, 1);
  submitted(6, 2);
  right(6);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VA-001"), 1u);
}

TEST_F(Va001, MemoryDiffers) {
  submitted(5, 1);
  submitted(6, 2);
  differs(6);
  EXPECT_FALSE(holds());
}

TEST_F(Va001, TheTablesOfTheOtherAreRead) {
  submitted(5, 1);
  submitted(6, 2);
  astray(6, AstrayWalk::OtherSpace);
  EXPECT_FALSE(holds());
}

TEST_F(Va001, PagingInBetweenChangesNothing) {
  submitted(5, 1);
  paging(6);
  submitted(7, 2);
  differs(7);
  EXPECT_FALSE(holds());
}

TEST_F(Va001, AProcessBehindItselfTakesNoTurn) {
  submitted(5, 1);
  submitted(6, 1);
  differs(6);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VA-001"), 0u);
}

TEST_F(Va001, OtherGpusOfALinkAreOtherEngines) {
  add(ev::Submitted{.packet = 5, .fence = 5, .context = 1, .engine = 1});
  submitted(6, 2);
  differs(6);
  EXPECT_TRUE(holds());
}

TEST_F(Va001, CommandsThatNeedNoAddressSayNothing) {
  submitted(5, 1);
  add(ev::PrivilegedBuilt{.render = 7});
  add(ev::Submitted{.packet = 6, .render = 7, .fence = 6, .context = 2});
  differs(6);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::va_001
