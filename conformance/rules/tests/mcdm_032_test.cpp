// Flags of allocations of a device that only computes.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_032 {
namespace {

class Mcdm032 : public TraceTest {
 protected:
  void created(std::uint32_t flags) { add(ev::AllocationCreated{.flags = flags}); }
  bool holds() { return TraceTest::holds("MCDM-032"); }
};

TEST_F(Mcdm032, Overlay) {
  created(1u << 8);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm032, Capture) {
  created(1u << 9);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm032, CreateInVpr) {
  created(1u << 10);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm032, TheBitsBesideThemAreOthers) {
  created(1u << 7);
  created(1u << 15 | 1u);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-032"), 2u);
}

TEST_F(Mcdm032, IsNoMatterForOthers) {
  platform_.started = platform_.has_caps = true;
  platform_.segments.resize(1);
  platform_.compute_only = true;
  EXPECT_EQ(find_rule("MCDM-032")->applies(platform_), nullptr);
  platform_.compute_only = false;
  EXPECT_NE(find_rule("MCDM-032")->applies(platform_), nullptr);
}

}  // namespace
}  // namespace wddm::mcdm_032
