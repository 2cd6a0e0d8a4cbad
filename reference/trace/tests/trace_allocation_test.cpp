// Adding an event allocates nothing.
//
// The operators count for the whole program. They are never inlined: g++ would else see a block of
// `new` given to `free` and warn of a mismatch that is none.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "reference/trace/tests/trace_buffer.h"

namespace {
std::size_t allocations = 0;
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace wddm {
namespace {

TEST(TraceWriter, AllocatesNothing) {
  test::TraceBuffer buffer(1000, 1000);
  const std::size_t before = allocations;
  for (int i = 0; i < 2000; ++i)
    buffer.writer().add(ev::Rendered{}, 0, 0, 0, "blob", i % 7 == 0 ? 4 : 0);
  EXPECT_EQ(allocations, before);
  EXPECT_GT(before, 0u);
}

}  // namespace
}  // namespace wddm
