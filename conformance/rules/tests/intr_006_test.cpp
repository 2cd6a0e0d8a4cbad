// Whose interrupt it is.
#include <utility>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::intr_006 {
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
    enters(before);
    if (calls) calls_back(CallbackId::NotifyInterrupt);
    return leaves(after, claimed);
  }
  void enters(std::uint32_t before) { add(ev::IsrEntered{.asserted = before}); }
  void calls_back(CallbackId callback) {
    add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(callback),
                           .place = static_cast<std::uint32_t>(CallPlace::Isr)});
  }
  bool leaves(std::uint32_t after, bool claimed) {
    add(ev::IsrLeft{.claimed = claimed, .asserted = after});
    return TraceTest::holds("INTR-006");
  }
  /// Another thread does something.
  void another() {
    const std::uint16_t self = std::exchange(thread_, std::uint16_t{7});
    add(ev::SyncEntered{});
    thread_ = self;
  }
  std::uint32_t reached() { return times_reached("INTR-006"); }
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

TEST_F(Intr006, ItsOwnWithNothingLeftToTell) {
  EXPECT_TRUE(holds(kHigh, kLow, true));
  EXPECT_EQ(reached(), 1u);
  EXPECT_FALSE(holds(kHigh, kLow, false));
}

TEST_F(Intr006, OneThatComesMeanwhile) {
  EXPECT_TRUE(holds(kLow, kHigh, true, true));
}

TEST_F(Intr006, OneThatSomebodyElseMayHaveDismissed) {
  enters(kHigh);
  another();
  EXPECT_TRUE(leaves(kLow, false));
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Intr006, WhereTheGpuWorksMeanwhileItMayHaveGone) {
  op(OpKind::AdvanceInside);
  EXPECT_TRUE(holds(kHigh, kLow, false));
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Intr006, ToldAndYetNotItsOwn) {
  op(OpKind::AdvanceInside);
  EXPECT_FALSE(holds(kLow, kHigh, false, true));
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
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Intr006, MessagesOfWhichSomethingIsTold) {
  EXPECT_TRUE(holds(kNoLine, kNoLine, true, true));
  EXPECT_EQ(reached(), 1u);
  EXPECT_FALSE(holds(kNoLine, kNoLine, false, true));
}

TEST_F(Intr006, AMessageForWhichADpcIsQueuedToLook) {
  enters(kNoLine);
  calls_back(CallbackId::QueueDpc);
  EXPECT_TRUE(leaves(kNoLine, false));
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::intr_006
