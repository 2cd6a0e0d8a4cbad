// What a description of an allocation has in any case.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_001 {
namespace {

class Alloc001 : public TraceTest {
 protected:
  static ev::AllocationCreated good() { return {.size = 8192, .has_handle = 1, .priority = 1}; }
  bool holds_with(const ev::AllocationCreated& created) {
    add(created);
    return TraceTest::holds("ALLOC-001");
  }
};

TEST_F(Alloc001, WithAndWithoutAPitch) {
  auto created = good();
  EXPECT_TRUE(holds_with(created));
  created.pitch_size = created.size;
  EXPECT_TRUE(holds_with(created));
  EXPECT_EQ(times_reached("ALLOC-001"), 2u);
}

TEST_F(Alloc001, NoHandle) {
  auto created = good();
  created.has_handle = 0;
  EXPECT_FALSE(holds_with(created));
}

TEST_F(Alloc001, NoSize) {
  auto created = good();
  created.size = 0;
  EXPECT_FALSE(holds_with(created));
}

TEST_F(Alloc001, NoPriority) {
  auto created = good();
  created.priority = 0;
  EXPECT_FALSE(holds_with(created));
}

TEST_F(Alloc001, APitchThatLeavesItSmaller) {
  auto created = good();
  created.pitch_size = created.size - 1;
  EXPECT_FALSE(holds_with(created));
}

// Several of one resource: told is the smallest.
class Alloc001OfSeveral : public TraceTest {
 protected:
  bool holds_for(std::uint64_t smallest, std::uint32_t described = 2) {
    add(ev::AllocationGroup{.size = smallest, .count = 2, .described = described});
    return holds("ALLOC-001");
  }
};

TEST_F(Alloc001OfSeveral, EachHasASize) {
  EXPECT_TRUE(holds_for(4096));
  EXPECT_EQ(times_reached("ALLOC-001"), 1u);
}

TEST_F(Alloc001OfSeveral, OneHasNone) {
  EXPECT_FALSE(holds_for(0));
}

TEST_F(Alloc001OfSeveral, WhatIsNotDescribedHasNone) {
  EXPECT_TRUE(holds_for(0, 1));
  EXPECT_EQ(times_reached("ALLOC-001"), 0u);
}

}  // namespace
}  // namespace wddm::alloc_001
