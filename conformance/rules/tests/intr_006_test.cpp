// Whose interrupt it is.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

constexpr std::uint32_t kLow = 0, kHigh = 1, kNoLine = 2;

class Intr006 : public TraceTest {
 protected:
  /// The device shows that it has a line.
  void interrupts() {
    add(ev::IsrEntered{.asserted = kHigh});
    add(ev::IsrLeft{.claimed = 1, .asserted = kLow});
  }
  bool holds(std::uint32_t before, std::uint32_t after, bool claimed, bool calls = false) {
    add(ev::IsrEntered{.asserted = before});
    if (calls) add(ev::CallbackCalled{.place = static_cast<std::uint32_t>(CallPlace::Isr)});
    add(ev::IsrLeft{.claimed = claimed, .asserted = after});
    return TraceTest::holds("INTR-006");
  }
};

TEST_F(Intr006, SomebodyElses) {
  interrupts();
  EXPECT_TRUE(holds(kLow, kLow, false));
  EXPECT_FALSE(holds(kLow, kLow, true));
}

TEST_F(Intr006, SomebodyElsesWithACallback) {
  interrupts();
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

TEST_F(Intr006, NobodyKnowsWhetherItHasALine) {
  EXPECT_TRUE(holds(kLow, kLow, true));
}

TEST_F(Intr006, OneBeforeTheFirstMessage) {
  add(ev::IsrEntered{.asserted = kLow});
  add(ev::IsrLeft{.claimed = 1, .asserted = kLow});
  EXPECT_TRUE(holds(kNoLine, kNoLine, true));
}

TEST_F(Intr006, Messages) {
  EXPECT_TRUE(holds(kNoLine, kNoLine, true));
  EXPECT_TRUE(holds(kNoLine, kNoLine, false));
}

}  // namespace
}  // namespace wddm
