// Portions that were patched several times.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::patch_003 {
namespace {

class Patch003 : public TraceTest {
 protected:
  void compared(std::uint32_t different) {
    add(ev::RepatchCompared{
        .times = 2, .different = different, .first = different == 0 ? kNone : 8});
  }
};

TEST_F(Patch003, AsAFreshCopy) {
  compared(0);
  EXPECT_TRUE(holds("PATCH-003"));
  EXPECT_EQ(times_reached("PATCH-003"), 1u);
}

TEST_F(Patch003, AsNoFreshCopy) {
  compared(4);
  EXPECT_FALSE(holds("PATCH-003"));
}

}  // namespace
}  // namespace wddm::patch_003
