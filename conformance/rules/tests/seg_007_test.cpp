// What the first call for segments writes.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::seg_007 {
namespace {

class Seg007 : public TraceTest {
 protected:
  void reported(std::uint32_t call, std::uint32_t stray, std::uint32_t status = 0) {
    add(ev::SegmentsReported{.call = call, .status = status, .stray = stray});
  }
  bool holds() { return TraceTest::holds("SEG-007"); }
};

TEST_F(Seg007, TheNumberAlone) {
  reported(1, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SEG-007"), 1u);
}

TEST_F(Seg007, OtherBytesToo) {
  reported(1, 4);
  EXPECT_FALSE(holds());
}

TEST_F(Seg007, SecondCallsAndThoseThatFailAreAnothersMatter) {
  reported(2, 4);
  reported(1, 4, 0xC000000D);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SEG-007"), 0u);
}

}  // namespace
}  // namespace wddm::seg_007
