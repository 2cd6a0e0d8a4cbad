// Packets that follow one of another address space on their engine.
#include "conformance/rules/tests/space_test.h"

namespace wddm::proc_008 {
namespace {

class Proc008 : public SpaceTest {
 protected:
  Proc008() {
    root(1, 3, 0x1000);
    root(2, 4, 0x2000);
  }
  bool holds() { return TraceTest::holds("PROC-008"); }
};

TEST_F(Proc008, EachRunsInItsOwn) {
  submitted(5, 1);
  submitted(6, 2);
  right(6);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PROC-008"), 1u);
}

TEST_F(Proc008, TheTablesOfTheOtherAreRead) {
  submitted(5, 1);
  submitted(6, 2);
  astray(6, AstrayWalk::OtherSpace);
  EXPECT_FALSE(holds());
}

TEST_F(Proc008, MemoryDiffersBehindAnotherClient) {
  submitted(5, 1);
  submitted(6, 2);
  differs(6);
  EXPECT_FALSE(holds());
}

TEST_F(Proc008, BehindPagingMemoryMayDifferByThat) {
  paging(5);
  submitted(6, 2);
  differs(6);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PROC-008"), 0u);
}

TEST_F(Proc008, BehindPagingItsTablesAreRead) {
  paging(5);
  submitted(6, 2);
  astray(6, AstrayWalk::OtherSpace);
  EXPECT_FALSE(holds());
}

TEST_F(Proc008, BehindOneOfItsOwnNothingIsSwitched) {
  submitted(5, 2);
  submitted(6, 2);
  differs(6);
  EXPECT_TRUE(holds());
}

TEST_F(Proc008, OtherGpusOfALinkAreOtherEngines) {
  add(ev::Submitted{.packet = 5, .fence = 5, .context = 1, .engine = 1});
  submitted(6, 2);
  differs(6);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::proc_008
