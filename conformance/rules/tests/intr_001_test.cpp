// Callbacks that the interrupt routine makes.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::intr_001 {
namespace {

class Intr001 : public TraceTest {
 protected:
  void calls(CallbackId callback, CallPlace place = CallPlace::Isr) {
    add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(callback),
                           .place = static_cast<std::uint32_t>(place)});
  }
  bool holds() { return TraceTest::holds("INTR-001"); }
};

TEST_F(Intr001, WhatItsPageAllows) {
  calls(CallbackId::NotifyInterrupt);
  calls(CallbackId::QueueDpc);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("INTR-001"), 2u);
}

TEST_F(Intr001, AnotherCallback) {
  calls(CallbackId::SynchronizeExecution);
  EXPECT_FALSE(holds());
}

TEST_F(Intr001, LogsMayBeWrittenAtAnyLevel) {
  calls(CallbackId::LogEtwEvent);
  EXPECT_TRUE(holds());
}

TEST_F(Intr001, OtherPlacesAreNotJudged) {
  calls(CallbackId::SynchronizeExecution, CallPlace::Ddi);
  calls(CallbackId::NotifyDpc, CallPlace::Dpc);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("INTR-001"), 0u);
}

}  // namespace
}  // namespace wddm::intr_001
