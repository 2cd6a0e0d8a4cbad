// Each seeded fault of VidSch alters the decision it is named for, and the faultless seat none. Those
// of VidMm need whole buffers: selftest has them.
#include "conformance/host/boundary/decision_seat.h"

#include <gtest/gtest.h>

namespace wddm::host {
namespace {

class DecisionSeatTest : public testing::Test {
 protected:
  ~DecisionSeatTest() override { seat_decision_fault(OracleFault::None); }
};

TEST_F(DecisionSeatTest, WithoutAFaultDecisionsPass) {
  const vidsch::EnqueuePaging paging{
      .engine = {}, .command = 0, .after = vidsch::PacketId{4}, .before = vidsch::PacketId{5}};
  vidsch::Config config;

  EXPECT_EQ(decisions().order(paging).before, paging.before);
  EXPECT_FALSE(decisions().interleaves(false));
  decisions().configure(config);
  EXPECT_EQ(config.preemption_aware, vidsch::Config{}.preemption_aware);
}

TEST_F(DecisionSeatTest, SubmitBeforePageInKeepsTheRestOfTheOrder) {
  seat_decision_fault(OracleFault::SubmitBeforePageIn);

  const vidsch::EnqueuePaging ordered = decisions().order(
      {.engine = {}, .command = 0, .after = vidsch::PacketId{4}, .before = vidsch::PacketId{5}});

  EXPECT_EQ(ordered.before, vidsch::PacketId{});
  EXPECT_EQ(ordered.after, vidsch::PacketId{4});
}

TEST_F(DecisionSeatTest, InterleavePortionsAsksNobody) {
  seat_decision_fault(OracleFault::InterleavePortions);
  vidsch::Config config;
  config.preemption_aware = false;

  decisions().configure(config);

  EXPECT_TRUE(config.preemption_aware);
  EXPECT_TRUE(decisions().interleaves(false));
}

}  // namespace
}  // namespace wddm::host
