// The message whose handler notifies.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::intr_003 {
namespace {

constexpr std::uint32_t kByLine = 1, kByMessage = 2;

class Intr003 : public TraceTest {
 protected:
  Intr003() { platform_.has_device = true; }
  void isr(std::uint32_t message, std::uint32_t asserted) {
    add(ev::IsrEntered{.message = message, .asserted = asserted});
    add(ev::Notified{});
    add(ev::IsrLeft{});
  }
  void synchronizes(std::uint32_t message) {
    add(ev::SyncEntered{.message = message});
    add(ev::Notified{});
    add(ev::SyncLeft{});
  }
  bool holds() { return TraceTest::holds("INTR-003"); }
};

TEST_F(Intr003, OneLine) {
  isr(0, kByLine);
  synchronizes(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("INTR-003"), 2u);
}

TEST_F(Intr003, ALineIsNumberZero) {
  isr(0, kByLine);
  synchronizes(1);
  EXPECT_FALSE(holds());
}

TEST_F(Intr003, TheMessageThatWasNamed) {
  add(ev::CapsReported{.interrupt_message = 3});
  isr(3, kByMessage);
  synchronizes(3);
  EXPECT_TRUE(holds());
}

TEST_F(Intr003, AnotherMessage) {
  add(ev::CapsReported{.interrupt_message = 3});
  isr(3, kByMessage);
  isr(1, kByMessage);
  EXPECT_FALSE(holds());
}

TEST_F(Intr003, OtherMessagesTellSomethingElse) {
  add(ev::CapsReported{.interrupt_message = 3});
  isr(3, kByMessage);
  add(ev::IsrEntered{.message = 1, .asserted = kByMessage});
  add(ev::IsrLeft{});
  EXPECT_TRUE(holds());
}

TEST_F(Intr003, AnInterruptDuringASynchronizationOfAnotherProcessor) {
  add(ev::SyncEntered{.message = 0});
  thread_ = 4;
  isr(0, kByLine);
  thread_ = 0;
  add(ev::Notified{});
  add(ev::SyncLeft{});
  EXPECT_TRUE(holds());
}

TEST_F(Intr003, WithoutAnInterruptNobodyKnowsTheNumber) {
  synchronizes(3);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("INTR-003"), 0u);
}

TEST_F(Intr003, OutsideOfBothIsAnotherClause) {
  add(ev::Notified{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("INTR-003"), 0u);
}

}  // namespace
}  // namespace wddm::intr_003
