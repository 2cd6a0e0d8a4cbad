// Processes that go, and the first packet of one that comes afterwards.
#include "conformance/rules/tests/space_test.h"

namespace wddm::proc_005 {
namespace {

class Proc005 : public SpaceTest {
 protected:
  void returned(DdiId ddi, std::uint32_t status = 0, std::uint32_t process = 3) {
    add(ev::DdiReturned{
        .ddi = static_cast<std::uint32_t>(ddi), .object = process, .status = status});
  }
  void newcomer() {
    returned(DdiId::CreateProcess, 0, 4);
    returned(DdiId::DestroyProcess, 0, 4);
    returned(DdiId::CreateProcess);
    root(1, 3, 0x1000);
    submitted(2);
  }
  bool holds() { return TraceTest::holds("PROC-005"); }
};

TEST_F(Proc005, TheCallSucceeds) {
  returned(DdiId::DestroyProcess);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PROC-005"), 1u);
}

TEST_F(Proc005, TheCallFails) {
  returned(DdiId::DestroyProcess, 0xC000000D);
  EXPECT_FALSE(holds());
}

TEST_F(Proc005, ANewcomerFindsItsMemory) {
  newcomer();
  right(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PROC-005"), 2u);
}

TEST_F(Proc005, ANewcomerFindsMemoryOfAnother) {
  newcomer();
  differs(2);
  EXPECT_FALSE(holds());
}

TEST_F(Proc005, ANewcomerIsTranslatedByTablesOfAnother) {
  newcomer();
  astray(2, AstrayWalk::OtherSpace);
  EXPECT_FALSE(holds());
}

TEST_F(Proc005, ItsOwnTablesAreAnothersMatter) {
  newcomer();
  astray(2, AstrayWalk::FormerTable);
  EXPECT_TRUE(holds());
}

TEST_F(Proc005, OneThatCameBeforeAnyWentIsNoNewcomer) {
  returned(DdiId::CreateProcess);
  root(1, 3, 0x1000);
  submitted(2);
  returned(DdiId::DestroyProcess);
  differs(2);
  EXPECT_TRUE(holds());
}

TEST_F(Proc005, APacketOfAnOlderProcessIsNotTheNewcomers) {
  returned(DdiId::CreateProcess, 0, 5);
  root(7, 5, 0x7000);
  newcomer();
  submitted(1, 7);
  right(1);
  EXPECT_EQ(times_reached("PROC-005"), 1u) << "the call alone";
  differs(1);
  EXPECT_TRUE(holds());
  differs(2);
  EXPECT_FALSE(holds());
}

TEST_F(Proc005, OnlyItsFirstPacketIsJudged) {
  newcomer();
  right(2);
  submitted(3);
  differs(3);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::proc_005
