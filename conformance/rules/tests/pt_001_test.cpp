// Answers to updates without an allocation.
#include "conformance/host/interposer.h"
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pt_001 {
namespace {

class Pt001 : public TraceTest {
 protected:
  void updated(NTSTATUS status, std::uint32_t allocation = kNone, std::uint32_t has_buffer = 1) {
    add(ev::TableUpdated{.count = 1,
                         .status = static_cast<std::uint32_t>(status),
                         .allocation = allocation,
                         .has_buffer = has_buffer});
  }
  bool holds() { return TraceTest::holds("PT-001"); }
};

TEST_F(Pt001, TheyAreCarriedOut) {
  updated(STATUS_SUCCESS);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-001"), 1u);
}

TEST_F(Pt001, TheyAreRefused) {
  updated(STATUS_INVALID_PARAMETER);
  EXPECT_FALSE(holds());
}

// Nobody can demand that a driver gets on in less than it asked for.
TEST_F(Pt001, TooLittleSpaceNeedsNoHandle) {
  updated(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  updated(STATUS_GRAPHICS_ALLOCATION_BUSY);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-001"), 0u);
}

TEST_F(Pt001, UpdatesOfAnAllocationAndThoseWithoutABufferAreOthersMatter) {
  updated(STATUS_INVALID_PARAMETER, 3);
  updated(STATUS_INVALID_PARAMETER, kNone, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-001"), 0u);
}

}  // namespace
}  // namespace wddm::pt_001
