// The highest address that the GPU reaches.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::caps_014 {
namespace {

class Caps014 : public TraceTest {
 protected:
  bool holds_with(std::uint64_t highest, std::uint32_t status = 0) {
    add(ev::CapsReported{.highest_address = highest, .status = status});
    return TraceTest::holds("CAPS-014");
  }
};

TEST_F(Caps014, AllOfMemory) {
  EXPECT_TRUE(holds_with(~0ull));
}

TEST_F(Caps014, TheFirstPageAlone) {
  EXPECT_TRUE(holds_with(4096));
  EXPECT_FALSE(holds_with(4095));
}

TEST_F(Caps014, AQueryThatFailsSaysNothing) {
  EXPECT_TRUE(holds_with(0, 0xC000000D));
  EXPECT_EQ(times_reached("CAPS-014"), 0u);
}

}  // namespace
}  // namespace wddm::caps_014
