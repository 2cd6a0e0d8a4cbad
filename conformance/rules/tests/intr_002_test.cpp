// Notifications from where they may not come.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::intr_002 {
namespace {

class Intr002 : public TraceTest {
 protected:
  void notified(std::uint8_t irql, CallPlace place) {
    irql_ = irql;
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED,
                     .place = static_cast<std::uint32_t>(place)});
  }
  bool holds() { return TraceTest::holds("INTR-002"); }
};

TEST_F(Intr002, TheIsrAndSynchronizedRoutinesNotify) {
  notified(5, CallPlace::Isr);
  notified(5, CallPlace::Synchronize);
  EXPECT_TRUE(holds());
}

TEST_F(Intr002, NobodyNotifiesAtDispatchLevel) {
  notified(2, CallPlace::Isr);
  EXPECT_FALSE(holds());
}

TEST_F(Intr002, FromWhereIsAnotherClause) {
  notified(5, CallPlace::Dpc);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::intr_002
