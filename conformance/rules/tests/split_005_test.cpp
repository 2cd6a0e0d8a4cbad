// Buffers that run in portions, with no other context between them.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::split_005 {
namespace {

// Two packets of one Render op.
class Split005 : public TraceTest {
 protected:
  void submitted(std::uint32_t packet, std::uint32_t start) {
    add(ev::Submitted{.packet = packet, .start = start, .end = start + 0x40});
  }
  void checked(std::uint32_t differences) {
    add(ev::MemoryChecked{.cause = static_cast<std::uint32_t>(MemoryCause::Render),
                          .object = 2,
                          .differences = differences});
    if (differences != 0) add(ev::MemoryDiffers{.length = 4, .cause_object = 2});
  }
  bool holds() { return TraceTest::holds("SPLIT-005"); }
  std::uint32_t reached() { return times_reached("SPLIT-005"); }
};

TEST_F(Split005, AsInOnePiece) {
  submitted(1, 0);
  submitted(2, 0x40);
  checked(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Split005, NotAsInOnePiece) {
  submitted(1, 0);
  submitted(2, 0x40);
  checked(1);
  EXPECT_FALSE(holds());
}

TEST_F(Split005, BehindAPreemptionOthersJudge) {
  submitted(1, 0);
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED});
  submitted(2, 0x40);
  checked(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Split005, BehindAMapInSeveralBuffersToo) {
  add(ev::PagingDone{.operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT, .passes = 2});
  submitted(1, 0);
  submitted(2, 0x40);
  checked(1);
  EXPECT_TRUE(holds());
}

// Each has a buffer of its own, which nobody has cut.
TEST_F(Split005, PassesOfRenderAreAnothersMatter) {
  submitted(1, 0);
  submitted(2, 0);
  checked(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Split005, APassThatWasCutIsJudged) {
  submitted(1, 0);
  submitted(3, 0x40);
  submitted(2, 0);
  checked(1);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::split_005
