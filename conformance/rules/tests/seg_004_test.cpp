// Segments of DMA buffers.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::seg_004 {
namespace {

constexpr std::uint32_t kAperture = 1, kAgp = 2;
constexpr std::uint32_t kMultiEngineAware = 1;

class Seg004 : public TraceTest {
 protected:
  Seg004() {
    platform_.segments.resize(3);
    platform_.segments[1].flags.value = kAperture;
    platform_.segments[2].flags.value = kAgp;
  }
  bool holds_with(std::uint32_t set, std::uint32_t status = 0) {
    add(ev::ContextCreated{.status = status, .dma_segments = set});
    return TraceTest::holds("SEG-004");
  }
};

TEST_F(Seg004, NoneOrApertures) {
  EXPECT_TRUE(holds_with(0));
  EXPECT_TRUE(holds_with(2));
  EXPECT_TRUE(holds_with(6));
  EXPECT_EQ(times_reached("SEG-004"), 3u);
}

TEST_F(Seg004, MemoryOfTheGpu) {
  EXPECT_FALSE(holds_with(1));
}

TEST_F(Seg004, ASegmentThatThereIsNot) {
  EXPECT_FALSE(holds_with(8));
}

TEST_F(Seg004, AContextThatWasRefusedSaysNothing) {
  EXPECT_TRUE(holds_with(1, 0xC000000D));
  EXPECT_EQ(times_reached("SEG-004"), 0u);
}

// Of a driver without MultiEngineAware.
TEST_F(Seg004, ADeviceInThePlaceOfContexts) {
  platform_.has_caps = true;
  add(ev::DeviceCreated{.dma_segments = 6});
  add(ev::DeviceCreated{});
  EXPECT_TRUE(holds("SEG-004"));
  EXPECT_EQ(times_reached("SEG-004"), 2u);
  add(ev::DeviceCreated{.status = 0xC000000D, .dma_segments = 1});
  EXPECT_TRUE(holds("SEG-004"));
  add(ev::DeviceCreated{.dma_segments = 1});
  EXPECT_FALSE(holds("SEG-004"));
}

TEST_F(Seg004, ADeviceThatOnlyHasContextsSaysNothing) {
  platform_.has_caps = true;
  platform_.scheduling.value = kMultiEngineAware;
  add(ev::DeviceCreated{.dma_segments = 1});
  EXPECT_TRUE(holds("SEG-004"));
  EXPECT_EQ(times_reached("SEG-004"), 0u);
}

TEST_F(Seg004, AContextOnAnotherGpuOfALink) {
  platform_.linked_adapters = 2;
  add(ev::SegmentReported{.segment = 1, .flags = kAperture, .physical_adapter = 1});
  add(ev::ContextCreated{.dma_segments = 1, .engine = 1});
  EXPECT_TRUE(holds("SEG-004"));
  add(ev::ContextCreated{.dma_segments = 2, .engine = 1});
  EXPECT_FALSE(holds("SEG-004"));
}

}  // namespace
}  // namespace wddm::seg_004
