// What OpenAllocation leaves behind.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

constexpr std::uint32_t kCreate = 1;

class Alloc008 : public TraceTest {
 protected:
  bool holds_with(const ev::AllocationOpened& opened) {
    add(opened);
    return TraceTest::holds("ALLOC-008");
  }
};

TEST_F(Alloc008, AHandleAndNothingElse) {
  EXPECT_TRUE(holds_with({.has_handle = 1}));
  EXPECT_EQ(times_reached("ALLOC-008"), 1u);
}

TEST_F(Alloc008, NoHandle) {
  EXPECT_FALSE(holds_with({}));
}

TEST_F(Alloc008, DataOfTheAllocationChangeWithCreateAlone) {
  EXPECT_TRUE(holds_with({.flags = kCreate, .has_handle = 1, .changed = 4}));
  EXPECT_FALSE(holds_with({.has_handle = 1, .changed = 4}));
}

TEST_F(Alloc008, DataOfTheResourceNeverChange) {
  EXPECT_FALSE(holds_with({.flags = kCreate, .has_handle = 1, .resource_changed = 4}));
}

TEST_F(Alloc008, ACallThatFailsOpensNothing) {
  EXPECT_TRUE(holds_with({.status = 0xC0000017}));
  EXPECT_EQ(times_reached("ALLOC-008"), 0u);
}

}  // namespace
}  // namespace wddm
