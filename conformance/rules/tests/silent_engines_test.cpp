// What memory says of translations behind packets of which nothing was seen to run.
#include "conformance/rules/tests/space_test.h"

namespace wddm::silent_engines {
namespace {

class SilentEngine : public SpaceTest {
 protected:
  static constexpr std::uint32_t kContext = 1, kProcess = 0;

  // Packet 1 reads by a root that has moved since the packet before it.
  void draws_before_and_after_a_move() {
    root(kContext, kProcess, 0x1000);
    submitted(0);
    ends(0);
    moves_and_draws();
  }
  void moves_and_draws() {
    add(ev::TableMoved{.from = 0x1000, .to = 0x2000, .process = kProcess, .level = kRoot});
    root(kContext, kProcess, 0x2000);
    submitted(1);
    ends(1);
    add(ev::MemoryChecked{.object = 1, .differences = 1});
    differs(1);
  }
  void ends(std::uint32_t packet) {
    add(ev::PacketEnded{.packet = packet,
                        .fence = packet,
                        .fate = static_cast<std::uint32_t>(PacketFate::Completed)});
    add(ev::MarkerRead{.packet = packet,
                       .fence = packet,
                       .runs = runs_,
                       .expected = 1,
                       .reason = static_cast<std::uint32_t>(MarkerReason::AtEnd)});
    runs_ = 0;
  }

  std::uint32_t runs_ = 0;  // of the next packet
};

TEST_F(SilentEngine, SaysNothingOfRoots) {
  draws_before_and_after_a_move();
  EXPECT_TRUE(holds("ROOT-010"));
  EXPECT_EQ(times_reached("ROOT-010"), 0u);
}

TEST_F(SilentEngine, IsNoneThatRanSomethingBefore) {
  runs_ = 1;
  draws_before_and_after_a_move();
  EXPECT_FALSE(holds("ROOT-010"));
}

TEST_F(SilentEngine, IsNoneOfWhichTheDeviceTells) {
  root(kContext, kProcess, 0x1000);
  submitted(0);
  add(ev::DeviceLogged{.kind = 1, .tag = 0});
  ends(0);
  moves_and_draws();
  EXPECT_FALSE(holds("ROOT-010"));
}

TEST_F(SilentEngine, IsNoneThatWroteAstray) {
  root(kContext, kProcess, 0x1000);
  submitted(0);
  ends(0);
  add(ev::MemoryDiffers{.where = static_cast<std::uint32_t>(MemoryPlace::FreeSegmentPage),
                        .cause_object = 0});
  moves_and_draws();
  EXPECT_FALSE(holds("ROOT-010"));
}

// What lies there by then is that of packet 0, which came too late.
TEST_F(SilentEngine, RunsLater) {
  draws_before_and_after_a_move();
  runs_ = 1;
  submitted(2);
  ends(2);
  right(2);
  EXPECT_TRUE(holds("ROOT-010"));
  EXPECT_EQ(times_reached("ROOT-010"), 1u);
}

// Of one whose packets have no mark nothing is known.
TEST_F(SilentEngine, IsNoneThatWasNotAsked) {
  root(kContext, kProcess, 0x1000);
  add(ev::TableMoved{.from = 0x1000, .to = 0x2000, .process = kProcess, .level = kRoot});
  root(kContext, kProcess, 0x2000);
  submitted(1);
  differs(1);
  EXPECT_FALSE(holds("ROOT-010"));
}

class SilentEngineOfBuffers : public TraceTest {
 protected:
  void runs(std::uint32_t count) {
    add(ev::BufferBuilt{.render = 0});
    add(ev::Submitted{.packet = 1, .render = 0, .fence = 1});
    add(ev::PacketEnded{
        .packet = 1, .fence = 1, .fate = static_cast<std::uint32_t>(PacketFate::Completed)});
    add(ev::MarkerRead{.packet = 1,
                       .fence = 1,
                       .runs = count,
                       .expected = 1,
                       .reason = static_cast<std::uint32_t>(MarkerReason::AtEnd)});
    add(ev::MemoryChecked{.object = 1, .differences = 1});
    add(ev::MemoryDiffers{.cause_object = 1});
  }
};

TEST_F(SilentEngineOfBuffers, SaysNothingOfCommands) {
  runs(0);
  EXPECT_TRUE(holds("SUBMIT-015"));
  EXPECT_EQ(times_reached("SUBMIT-015"), 0u);
}

// What was told of as completed and has not run is FENCE-002's, and says more than a preemption.
class SilentEngineOfReports : public TraceTest {
 protected:
  void read(std::uint32_t packet, MarkerReason reason, std::uint32_t runs = 0) {
    add(ev::MarkerRead{.packet = packet,
                       .fence = packet,
                       .runs = runs,
                       .expected = 1,
                       .reason = static_cast<std::uint32_t>(reason)});
  }
  void submitted(std::uint32_t packet) {
    add(ev::Submitted{.packet = packet, .render = packet, .fence = packet});
  }
};

TEST_F(SilentEngineOfReports, SaysNothingOfPreemption) {
  submitted(1);
  read(1, MarkerReason::AtCompleted);
  submitted(2);
  read(2, MarkerReason::AtPreempted);
  EXPECT_TRUE(holds("PREEMPT-006"));
  EXPECT_EQ(seen_by("FENCE-002"),
            "what the last command of packet 1 with SubmissionFenceId 1 writes is not in memory; "
            "nothing was ever seen to run on node 0");
}

TEST_F(SilentEngineOfReports, IsNoneThatRanSomethingBefore) {
  submitted(1);
  read(1, MarkerReason::AtCompleted, 1);
  submitted(2);
  read(2, MarkerReason::AtPreempted);
  EXPECT_FALSE(holds("PREEMPT-006"));
}

TEST_F(SilentEngineOfBuffers, IsNoneThatCameToTheEnd) {
  runs(1);
  EXPECT_FALSE(holds("SUBMIT-015"));
}

}  // namespace
}  // namespace wddm::silent_engines
