// The first packets of contexts.
#include "conformance/rules/tests/space_test.h"

namespace wddm::root_004 {
namespace {

class Root004 : public SpaceTest {
 protected:
  void context(std::uint32_t number = 1) {
    add(ev::ContextCreated{.context = number});
    root(number, 3, 0x4000);
  }
  bool holds() { return TraceTest::holds("ROOT-004"); }
  std::uint32_t reached() { return times_reached("ROOT-004"); }
};

TEST_F(Root004, RunsByItsRoot) {
  context();
  submitted(5);
  right(5);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Root004, RunsByAnother) {
  context();
  submitted(5);
  astray(5, AstrayWalk::OtherSpace);
  EXPECT_FALSE(holds());
}

TEST_F(Root004, FindsNotEvenItsCommands) {
  context();
  add(ev::Submitted{.address = 0x7000, .packet = 5, .render = 5, .fence = 5, .context = 1});
  faulted(5, 0x7000);
  EXPECT_FALSE(holds());
}

TEST_F(Root004, BelowTheRootItIsAnothersMatter) {
  context();
  submitted(5);
  astray(5, AstrayWalk::OtherSpace, kLeaf);
  differs(5);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Root004, SoAreLaterPackets) {
  context();
  submitted(5);
  right(5);
  submitted(6);
  astray(6, AstrayWalk::OtherSpace);
  EXPECT_TRUE(holds());
}

TEST_F(Root004, AnotherContextOfTheSameNumberHasAFirstPacketToo) {
  context();
  submitted(5);
  right(5);
  context();
  submitted(6);
  astray(6, AstrayWalk::OtherSpace);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::root_004
