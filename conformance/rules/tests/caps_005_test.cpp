// CancelCommandAware and its entry point.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::caps_005 {
namespace {

constexpr std::uint32_t kCancelCommandAware = 16;

class Caps005 : public TraceTest {
 protected:
  void reported(std::uint32_t scheduling) { add(ev::CapsReported{.scheduling = scheduling}); }
  void lacks_it() {
    platform_.absent_ddis.value.set(static_cast<std::size_t>(DdiId::CancelCommand));
  }
  bool holds() { return TraceTest::holds("CAPS-005"); }
};

TEST_F(Caps005, ItIsThere) {
  reported(kCancelCommandAware);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CAPS-005"), 1u);
}

TEST_F(Caps005, ItIsNot) {
  lacks_it();
  reported(kCancelCommandAware);
  EXPECT_FALSE(holds());
}

TEST_F(Caps005, ItNeedNotBe) {
  lacks_it();
  reported(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CAPS-005"), 0u);
}

}  // namespace
}  // namespace wddm::caps_005
