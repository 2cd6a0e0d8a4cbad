// Handles that callbacks are given.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::life_002 {
namespace {

using Life002 = TraceTest;

TEST_F(Life002, TheOneOfThisStart) {
  add(ev::CallbackCalled{});
  EXPECT_TRUE(holds("LIFE-002"));
  EXPECT_EQ(times_reached("LIFE-002"), 1u);
}

TEST_F(Life002, AnyOther) {
  for (const std::uint32_t handle : {1u, 2u, 3u}) add(ev::CallbackCalled{.handle = handle});
  EXPECT_EQ(failures("LIFE-002"), 3u);
}

}  // namespace
}  // namespace wddm::life_002
