// What stands behind the last range of a copy of entries.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pt_024 {
namespace {

class Pt024 : public TraceTest {
 protected:
  void copied(std::uint32_t decoys, std::uint32_t behind) {
    add(ev::EntriesCopied{
        .count = 2, .read = 2, .range = 1, .ranges = 2, .decoys = decoys, .behind = behind});
  }
};

TEST_F(Pt024, IsLeftAlone) {
  copied(1, 0);
  EXPECT_TRUE(holds("PT-024"));
  EXPECT_EQ(times_reached("PT-024"), 1u);
}

TEST_F(Pt024, IsCopied) {
  copied(1, 1);
  EXPECT_FALSE(holds("PT-024"));
}

TEST_F(Pt024, WithoutAnythingThereNothingIsJudged) {
  copied(0, 0);
  EXPECT_TRUE(holds("PT-024"));
  EXPECT_EQ(times_reached("PT-024"), 0u);
}

}  // namespace
}  // namespace wddm::pt_024
