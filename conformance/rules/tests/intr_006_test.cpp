// Whose interrupt it is.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

constexpr std::uint32_t kLow = 0, kHigh = 1, kNoLine = 2;

class Intr006 : public TraceTest {
 protected:
  bool holds(std::uint32_t before, std::uint32_t after, bool claimed, bool calls = false) {
    add(ev::IsrEntered{.asserted = before});
    if (calls) add(ev::CallbackCalled{.place = static_cast<std::uint32_t>(CallPlace::Isr)});
    add(ev::IsrLeft{.claimed = claimed, .asserted = after});
    return TraceTest::holds("INTR-006");
  }
};

TEST_F(Intr006, SomebodyElses) {
  EXPECT_TRUE(holds(kLow, kLow, false));
  EXPECT_FALSE(holds(kLow, kLow, true));
}

TEST_F(Intr006, SomebodyElsesWithACallback) {
  EXPECT_FALSE(holds(kLow, kLow, false, true));
}

TEST_F(Intr006, ItsOwn) {
  EXPECT_TRUE(holds(kHigh, kLow, true, true));
  EXPECT_TRUE(holds(kHigh, kHigh, true));
  EXPECT_FALSE(holds(kHigh, kHigh, false));
}

TEST_F(Intr006, OneThatComesOrGoesMeanwhile) {
  EXPECT_TRUE(holds(kLow, kHigh, true, true));
  EXPECT_TRUE(holds(kHigh, kLow, false));
}

TEST_F(Intr006, Messages) {
  EXPECT_TRUE(holds(kNoLine, kNoLine, true));
  EXPECT_TRUE(holds(kNoLine, kNoLine, false));
}

}  // namespace
}  // namespace wddm
