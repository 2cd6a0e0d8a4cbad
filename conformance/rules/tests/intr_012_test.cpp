// What ControlInterrupt returns for interrupts that no driver lets switch.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::intr_012 {
namespace {

class Intr012 : public TraceTest {
 protected:
  void controlled(std::uint32_t type, NTSTATUS status, std::uint32_t form = 1) {
    add(ev::InterruptControlled{
        .type = type, .form = form, .status = static_cast<std::uint32_t>(status)});
  }
  bool holds() { return TraceTest::holds("INTR-012"); }
};

TEST_F(Intr012, NotImplemented) {
  controlled(DXGK_INTERRUPT_DMA_COMPLETED, STATUS_NOT_IMPLEMENTED);
  controlled(DXGK_INTERRUPT_DMA_COMPLETED, STATUS_NOT_IMPLEMENTED, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("INTR-012"), 2u);
}

TEST_F(Intr012, Switched) {
  controlled(DXGK_INTERRUPT_DMA_COMPLETED, STATUS_SUCCESS);
  EXPECT_FALSE(holds());
}

TEST_F(Intr012, AnotherFailure) {
  controlled(DXGK_INTERRUPT_DMA_COMPLETED, STATUS_NOT_SUPPORTED, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Intr012, VerticalRetraceMayBe) {
  controlled(DXGK_INTERRUPT_CRTC_VSYNC, STATUS_SUCCESS);
  EXPECT_EQ(times_reached("INTR-012"), 0u);
}

}  // namespace
}  // namespace wddm::intr_012
