// Types of interrupts.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::intr_010 {
namespace {

using Intr010 = TraceTest;

TEST_F(Intr010, TypesThatThereAre) {
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED});
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PAGE_FAULTED});
  EXPECT_TRUE(holds("INTR-010"));
  EXPECT_EQ(times_reached("INTR-010"), 2u);
}

TEST_F(Intr010, TheOneThatIsReserved) {
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_FAULTED});
  EXPECT_FALSE(holds("INTR-010"));
}

TEST_F(Intr010, NoType) {
  add(ev::Notified{.type = 0});
  EXPECT_FALSE(holds("INTR-010"));
}

TEST_F(Intr010, OneOfALaterInterface) {
  add(ev::Notified{.type = 99});
  EXPECT_TRUE(holds("INTR-010"));
}

}  // namespace
}  // namespace wddm::intr_010
