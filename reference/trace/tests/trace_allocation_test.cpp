// Adding an event allocates nothing.
#include <gtest/gtest.h>

#include "reference/trace/tests/counted_new.h"
#include "reference/trace/tests/trace_buffer.h"

namespace wddm {
namespace {

TEST(TraceWriter, AllocatesNothing) {
  test::TraceBuffer buffer(1000, 1000);
  const std::size_t before = test::allocations;
  for (int i = 0; i < 2000; ++i)
    buffer.writer().add(ev::Rendered{}, 0, 0, 0, "blob", i % 7 == 0 ? 4 : 0);
  EXPECT_EQ(test::allocations, before);
  EXPECT_GT(before, 0u);
}

}  // namespace
}  // namespace wddm
