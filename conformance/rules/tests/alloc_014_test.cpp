// Sizes and segments of context allocations.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_014 {
namespace {

class Alloc014 : public TraceTest {
 protected:
  Alloc014() { platform_.segments.resize(2); }
  bool holds_with(std::uint64_t size, std::uint32_t set, std::uint32_t preferred = 0) {
    add(ev::ContextAllocationMade{.size = size, .set = set, .preferred = preferred});
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

// SegmentId0 and SegmentId1; whether a search goes up or down is no part of either.
constexpr std::uint32_t kDirection0 = 1u << 5;
std::uint32_t prefers(std::uint32_t first, std::uint32_t second = 0) {
  return first | second << 6;
}

TEST_F(Alloc014, PreferredSegmentsOfTheSet) {
  platform_.segments.resize(3);
  EXPECT_TRUE(holds_with(4096, 1, prefers(1)));
  EXPECT_TRUE(holds_with(4096, 4, prefers(3) | kDirection0));
  EXPECT_TRUE(holds_with(4096, 6, prefers(3, 2)));
}

TEST_F(Alloc014, APreferredSegmentByTheNumberOfItsBit) {
  platform_.segments.resize(3);
  EXPECT_FALSE(holds_with(4096, 4, prefers(2)));
}

TEST_F(Alloc014, ASecondChoiceOutsideOfTheSet) {
  EXPECT_FALSE(holds_with(4096, 1, prefers(1, 2)));
}

TEST_F(Alloc014, ASetThatIsTheNumberOfItsSegment) {
  platform_.segments.resize(3);
  EXPECT_FALSE(holds_with(4096, 3, prefers(3)));
}

TEST_F(Alloc014, ADirectionAloneIsNoWish) {
  EXPECT_TRUE(holds_with(4096, 2, kDirection0));
}

TEST_F(Alloc014, InALinkThoseOfAnyGpu) {
  platform_.linked_adapters = 2;
  add(ev::SegmentReported{.segment = 3, .physical_adapter = 1});
  EXPECT_TRUE(holds_with(4096, 4));
  EXPECT_FALSE(holds_with(4096, 8));
}

}  // namespace
}  // namespace wddm::alloc_014
