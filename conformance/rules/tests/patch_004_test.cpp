// What Patch and SubmitCommand return.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::patch_004 {
namespace {

constexpr std::uint32_t kInvalidParameter = 0xC000000D, kPending = 0x103;

class Patch004 : public TraceTest {
 protected:
  bool holds() { return TraceTest::holds("PATCH-004"); }
};

TEST_F(Patch004, Success) {
  add(ev::Patched{});
  add(ev::Submitted{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PATCH-004"), 2u);
}

TEST_F(Patch004, PatchFails) {
  add(ev::Patched{.status = kInvalidParameter});
  EXPECT_FALSE(holds());
}

TEST_F(Patch004, SubmitCommandFails) {
  add(ev::Submitted{.paging = 1, .status = kInvalidParameter});
  EXPECT_FALSE(holds());
}

// The pages name STATUS_SUCCESS alone.
TEST_F(Patch004, NoOtherKindOfSuccessIsOne) {
  add(ev::Submitted{.status = kPending});
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::patch_004
