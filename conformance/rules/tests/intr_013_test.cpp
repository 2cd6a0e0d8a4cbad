// Notifications by those who do not exclude the interrupt routine.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::intr_013 {
namespace {

class Intr013 : public TraceTest {
 protected:
  void notified(std::uint8_t irql, CallPlace place) {
    irql_ = irql;
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED,
                     .place = static_cast<std::uint32_t>(place)});
  }
  bool holds() { return TraceTest::holds("INTR-013"); }
};

TEST_F(Intr013, TheIsrAndSynchronizedRoutinesNotify) {
  notified(5, CallPlace::Isr);
  notified(5, CallPlace::Synchronize);
  EXPECT_TRUE(holds());
}

TEST_F(Intr013, ADdiThatRaisesTheIrqlByHandDoesNotNotify) {
  notified(5, CallPlace::Ddi);
  EXPECT_FALSE(holds());
}

TEST_F(Intr013, ADpcThatRaisesTheIrqlByHandDoesNotNotify) {
  notified(5, CallPlace::Dpc);
  EXPECT_FALSE(holds());
}

TEST_F(Intr013, AtDispatchLevelAnotherClauseSpeaks) {
  notified(2, CallPlace::Dpc);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("INTR-013"), 0u);
}

}  // namespace
}  // namespace wddm::intr_013
