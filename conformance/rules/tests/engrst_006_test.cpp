// Masks of engines that a reset takes along.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::engrst_006 {
namespace {

class Engrst006 : public TraceTest {
 protected:
  Engrst006() { platform_.nodes = 2; }
  void asked(std::uint64_t mask, std::uint32_t node, std::uint32_t status = 0) {
    add(ev::DependentsAsked{.mask = mask, .node = node, .status = status});
  }
  bool holds() { return TraceTest::holds("ENGRST-006"); }
};

TEST_F(Engrst006, TheNodeAloneOrWithOthers) {
  asked(1, 0);
  asked(2, 1);
  asked(3, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-006"), 3u);
}

TEST_F(Engrst006, TheNodeIsMissing) {
  asked(2, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst006, ANodeThatThereIsNot) {
  asked(5, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst006, OfSixtyFourNodesEachBitIsOne) {
  platform_.nodes = 64;
  asked(~0ull, 63);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst006, ANodeBehindAllBitsHasNone) {
  asked(1, 64);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst006, TheCallSucceeds) {
  asked(0, 0, 0xC000000D);
  EXPECT_EQ(failures("ENGRST-006"), 1u);
  EXPECT_EQ(seen_by("ENGRST-006"), "STATUS_INVALID_PARAMETER");
}

}  // namespace
}  // namespace wddm::engrst_006
