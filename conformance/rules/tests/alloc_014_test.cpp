// Sizes and segments of context allocations.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

class Alloc014 : public TraceTest {
 protected:
  Alloc014() { platform_.segments.resize(2); }
  bool holds_with(std::uint64_t size, std::uint32_t set) {
    add(ev::ContextAllocationMade{.size = size, .set = set});
    return TraceTest::holds("ALLOC-014");
  }
};

TEST_F(Alloc014, SegmentsThatThereAre) {
  EXPECT_TRUE(holds_with(4096, 1));
  EXPECT_TRUE(holds_with(1, 3));
  EXPECT_EQ(times_reached("ALLOC-014"), 2u);
}

TEST_F(Alloc014, NoSize) {
  EXPECT_FALSE(holds_with(0, 1));
}

TEST_F(Alloc014, NoSegment) {
  EXPECT_FALSE(holds_with(4096, 0));
}

TEST_F(Alloc014, ASegmentThatThereIsNot) {
  EXPECT_FALSE(holds_with(4096, 5));
}

TEST_F(Alloc014, OfThirtyTwoSegmentsEachBitIsOne) {
  platform_.segments.resize(32);
  EXPECT_TRUE(holds_with(4096, ~0u));
}

TEST_F(Alloc014, InALinkThoseOfAnyGpu) {
  platform_.linked_adapters = 2;
  add(ev::SegmentReported{.segment = 3, .physical_adapter = 1});
  EXPECT_TRUE(holds_with(4096, 4));
  EXPECT_FALSE(holds_with(4096, 8));
}

}  // namespace
}  // namespace wddm
