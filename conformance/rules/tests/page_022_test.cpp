// What a context allocation holds after a move.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::page_022 {
namespace {

using Page022 = TraceTest;

TEST_F(Page022, AllOfItIsThere) {
  add(ev::ContextAllocationMoved{.from = 0x1000, .to = 0x2000});
  EXPECT_TRUE(holds("PAGE-022"));
  EXPECT_EQ(times_reached("PAGE-022"), 1u);
}

TEST_F(Page022, SomeOfItIsNot) {
  add(ev::ContextAllocationMoved{.from = 0x1000, .to = 0x2000, .unlike = 64});
  EXPECT_FALSE(holds("PAGE-022"));
}

TEST_F(Page022, SomeOfItIsLostOnTheWayToSystemMemory) {
  add(ev::ContextAllocationMoved{.from = 0x1000, .unlike = 64, .evicted = 1});
  EXPECT_FALSE(holds("PAGE-022"));
}

TEST_F(Page022, WhereNobodySeesItNobodyKnows) {
  add(ev::ContextAllocationMoved{.from = 0x1000, .to = 0x2000, .unlike = kNone});
  EXPECT_TRUE(holds("PAGE-022"));
  EXPECT_EQ(times_reached("PAGE-022"), 0u);
}

}  // namespace
}  // namespace wddm::page_022
