// At which IRQL PreemptCommand comes.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_014 {
namespace {

class Mcdm014 : public TraceTest {
 protected:
  bool holds() { return TraceTest::holds("MCDM-014"); }
};

TEST_F(Mcdm014, Passive) {
  add(ev::PreemptAsked{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-014"), 1u);
}

TEST_F(Mcdm014, ApcLevelIsLowToo) {
  add(ev::PreemptAsked{.irql = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm014, Dispatch) {
  add(ev::PreemptAsked{.irql = 2});
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::mcdm_014
