// How many entries roots are said to hold.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::root_003 {
namespace {

class Root003 : public TraceTest {
 protected:
  void says(std::uint32_t asked, std::uint64_t bytes, std::uint32_t answered) {
    add(ev::RootSizeReported{.bytes = bytes, .asked = asked, .answered = answered});
  }
  bool holds() { return TraceTest::holds("ROOT-003"); }
};

TEST_F(Root003, AsManyAsItHolds) {
  says(1, 4096, 512);
  says(512, 4096, 512);
  says(513, 8192, 1024);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-003"), 3u);
}

TEST_F(Root003, LeftAsItWas) {
  says(1, 4096, 1);
  says(2, 4096, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Root003, FewerThanAskedFor) {
  says(600, 4096, 512);
  EXPECT_FALSE(holds());
}

TEST_F(Root003, MoreThanItHolds) {
  says(1, 4096, 1024);
  says(1024, 8192, 1024);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::root_003
