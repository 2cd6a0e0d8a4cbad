// What follows where the reset of an engine does not suffice.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::engrst_005 {
namespace {

constexpr std::uint32_t kTimeout = 1, kStuck = 2;

class Engrst005 : public TraceTest {
 protected:
  void submits(std::uint32_t fence, std::uint32_t paging) {
    add(ev::Submitted{.packet = fence, .fence = fence, .paging = paging});
  }
  void resets(std::uint32_t aborted, std::uint32_t status = 0) {
    add(ev::EngineReset{.status = status, .aborted = aborted});
  }
  void resets_adapter(std::uint32_t cause) { add(ev::AdapterReset{.cause = cause}); }
  bool holds() { return TraceTest::holds("ENGRST-005"); }
  std::uint32_t reached() { return times_reached("ENGRST-005"); }
};

TEST_F(Engrst005, ItHitPaging) {
  submits(3, 1);
  resets(3);
  resets_adapter(kTimeout);
  submits(4, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Engrst005, WorkGoesOnAllTheSame) {
  submits(3, 1);
  resets(3);
  submits(4, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst005, OtherEnginesMayGoOnUntilThen) {
  submits(3, 1);
  resets(3);
  add(ev::Submitted{.packet = 4, .node = 1, .fence = 4});
  resets_adapter(kTimeout);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst005, NothingGoesOn) {
  submits(3, 1);
  resets(3);
  add(ev::Stuck{});
  resets_adapter(kStuck);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst005, ItFailed) {
  submits(3, 0);
  resets(0, 0xC0000001);
  resets_adapter(kTimeout);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Engrst005, ItFailedAndIsTriedAgain) {
  submits(3, 0);
  resets(0, 0xC0000001);
  add(ev::Ended{});
  EXPECT_FALSE(holds());
}

TEST_F(Engrst005, ItSufficed) {
  submits(3, 0);
  resets(3);
  submits(4, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::engrst_005
