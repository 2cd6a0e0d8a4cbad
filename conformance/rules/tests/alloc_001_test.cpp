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

// What nothing is placed in: of a resource, or a surface of Dxgkrnl's own.
class Alloc001Described : public TraceTest {
 protected:
  bool holds_for(std::uint64_t size, std::uint32_t priority = 1) {
    add(ev::ShapeDescribed{.size = size, .priority = priority, .has_handle = 1, .standard = 3});
    return holds("ALLOC-001");
  }
};

TEST_F(Alloc001Described, WithSizeAndPriority) {
  EXPECT_TRUE(holds_for(4096));
  EXPECT_EQ(times_reached("ALLOC-001"), 1u);
}

TEST_F(Alloc001Described, WithNoSize) {
  EXPECT_FALSE(holds_for(0));
}

TEST_F(Alloc001Described, WithNoPriority) {
  EXPECT_FALSE(holds_for(4096, 0));
}

}  // namespace
}  // namespace wddm::alloc_001
