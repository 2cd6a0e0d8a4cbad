// Which devices start by how far they reach.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_020 {
namespace {

constexpr std::uint64_t kHighest = 0x6'1600'0000 - 1;

class Mcdm020 : public TraceTest {
 protected:
  void reaches(std::uint64_t address) { add(ev::CapsReported{.highest_address = address}); }
  bool holds() { return TraceTest::holds("MCDM-020"); }
};

TEST_F(Mcdm020, WithoutALimit) {
  reaches(~std::uint64_t{0});
  add(ev::Running{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-020"), 1u);
}

TEST_F(Mcdm020, RefusedBelow) {
  reaches(kHighest - 1);
  add(ev::StartRefused{.highest = kHighest});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm020, RefusedAtTheEnd) {
  reaches(kHighest);
  add(ev::StartRefused{.highest = kHighest});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm020, RunsBelow) {
  reaches((1u << 30) - 1);
  add(ev::Running{});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm020, WithoutCapsNothingIsJudged) {
  add(ev::Running{});
  EXPECT_EQ(times_reached("MCDM-020"), 0u);
}

}  // namespace
}  // namespace wddm::mcdm_020
