// Contexts and the roots that they are given before anything of them is submitted.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::root_013 {
namespace {

class Root013 : public TraceTest {
 protected:
  void created(std::uint32_t context) { add(ev::ContextCreated{.context = context}); }
  void root(std::uint32_t context) {
    add(ev::RootSet{.place = 0x1000, .context = context, .process = 3, .entries = 512});
  }
  void submitted(std::uint32_t packet, std::uint32_t context) {
    add(ev::Submitted{.packet = packet, .context = context});
  }
  bool holds() { return TraceTest::holds("ROOT-013"); }
};

TEST_F(Root013, TheRootComesFirst) {
  created(1);
  root(1);
  submitted(4, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-013"), 1u);
}

TEST_F(Root013, ItNeverComes) {
  created(1);
  created(2);
  root(1);
  submitted(4, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Root013, ItComesBehindThePacket) {
  created(1);
  submitted(4, 1);
  root(1);
  EXPECT_FALSE(holds());
}

// What counts is when the driver is called.
TEST_F(Root013, ItComesWhileThePacketIsTaken) {
  created(1);
  enters(4);
  root(1);
  submitted(4, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Root013, TheRootWasThatOfTheContextBefore) {
  created(1);
  root(1);
  created(1);
  submitted(4, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Root013, PagingIsNoContexts) {
  created(1);
  add(ev::Submitted{.packet = 4, .context = kNone, .paging = 1});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-013"), 0u);
}

}  // namespace
}  // namespace wddm::root_013
