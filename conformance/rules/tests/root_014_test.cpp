// Contexts that are told, or not, of the new root of their process.
#include "conformance/rules/tests/space_test.h"

namespace wddm::root_014 {
namespace {

class Root014 : public SpaceTest {
 protected:
  Root014() {
    root(1, 3, 0x1000);
    root(2, 3, 0x1000);
  }
  void moved(std::uint64_t from, std::uint64_t to, std::uint32_t level = kRoot) {
    add(ev::TableMoved{.from = from, .to = to, .process = 3, .level = level});
  }
  void left(std::uint64_t from) {
    add(ev::TableMoved{.from = from, .process = 3, .level = kRoot, .gone = 1});
  }
  bool holds() { return TraceTest::holds("ROOT-014"); }
};

TEST_F(Root014, BothAreTold) {
  root(1, 3, 0x9000, 1024);
  root(2, 3, 0x9000, 1024);
  moved(0x1000, 0x9000);
  submitted(4, 1);
  submitted(5, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-014"), 2u);
}

TEST_F(Root014, OneIsNot) {
  root(1, 3, 0x9000, 1024);
  submitted(4, 1);
  EXPECT_TRUE(holds());
  submitted(5, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Root014, NoneIsToldOfAMove) {
  moved(0x1000, 0x9000);
  submitted(4, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Root014, OneIsToldOfAMove) {
  moved(0x1000, 0x9000);
  root(1, 3, 0x9000);
  submitted(4, 1);
  EXPECT_TRUE(holds());
  submitted(5, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Root014, OneIsToldTooLate) {
  moved(0x1000, 0x9000);
  root(1, 3, 0x9000);
  submitted(5, 2);
  root(2, 3, 0x9000);
  EXPECT_FALSE(holds());
}

TEST_F(Root014, ARootThatIsBackWhereItLay) {
  moved(0x1000, 0x9000);
  root(1, 3, 0x9000);
  moved(0x9000, 0x1000);
  root(1, 3, 0x1000);
  submitted(5, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Root014, OneThatHasLeftMemory) {
  left(0x1000);
  root(1, 3, 0x1000);
  submitted(4, 1);
  EXPECT_TRUE(holds());
  submitted(5, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Root014, AnotherNumberOfEntriesIsAnotherRoot) {
  root(1, 3, 0x1000, 1024);
  submitted(5, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Root014, OtherTablesAndProcessesAreOtherMatters) {
  moved(0x1000, 0x9000, kLeaf);
  root(7, 6, 0x3000);
  root(7, 6, 0x5000);
  submitted(4, 1);
  submitted(5, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-014"), 0u);
}

TEST_F(Root014, EachGpuOfALinkHasItsOwn) {
  add(ev::RootSet{
      .place = 0x1000, .context = 5, .process = 3, .entries = 512, .physical_adapter = 1});
  root(1, 3, 0x9000, 1024);
  root(2, 3, 0x9000, 1024);
  submitted(4, 5);
  EXPECT_TRUE(holds());
  moved(0x1000, 0x9000);
  submitted(6, 5);
  EXPECT_FALSE(holds());
}

TEST_F(Root014, ANewContextInTheSlotHasBeenToldOfNothing) {
  root(1, 3, 0x9000, 1024);
  add(ev::ContextCreated{.context = 2});
  root(2, 3, 0x9000, 1024);
  submitted(5, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-014"), 0u);
}

TEST_F(Root014, PagingGoesOn) {
  moved(0x1000, 0x9000);
  paging(4);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-014"), 0u);
}

}  // namespace
}  // namespace wddm::root_014
