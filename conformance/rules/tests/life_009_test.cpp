// Which node and engine contexts are created for.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::life_009 {
namespace {

class Life009 : public TraceTest {
 protected:
  Life009() { platform_.nodes = 2; }
  void creates(std::uint32_t node, std::uint32_t engines) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::CreateContext)},
        std::vector{ddi_arguments::CreateContext{.node = node, .engines = engines}});
  }
  bool holds() { return TraceTest::holds("LIFE-009"); }
};

TEST_F(Life009, OneBit) {
  creates(0, 1);
  creates(1, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-009"), 2u);
}

TEST_F(Life009, ANodeThatIsNotThere) {
  creates(2, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Life009, NoBit) {
  creates(0, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Life009, TwoBits) {
  platform_.linked_adapters = 2;
  creates(0, 3);
  EXPECT_FALSE(holds());
}

TEST_F(Life009, TheSecondOfALink) {
  creates(0, 2);
  EXPECT_FALSE(holds());
  platform_.linked_adapters = 2;
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::life_009
