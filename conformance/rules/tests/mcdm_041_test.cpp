// Exclusive access: its statuses, what the device does in it, and packets after it.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_041 {
namespace {

class Mcdm041 : public TraceTest {
 protected:
  void access(std::uint64_t reads = 0, std::uint64_t writes = 0) {
    add(ev::ExclusiveAccess{});
    add(ev::ExclusiveAccess{.reads = reads, .writes = writes, .stage = 1});
  }
  void ends(std::uint32_t packet, PacketFate fate) {
    add(ev::PacketEnded{.packet = packet, .fate = static_cast<std::uint32_t>(fate)});
  }
  void works_before() {
    add(ev::Submitted{.packet = 1});
    ends(1, PacketFate::Completed);
  }
  bool holds() { return TraceTest::holds("MCDM-041"); }
};

TEST_F(Mcdm041, Silence) {
  access();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-041"), 2u);
}

TEST_F(Mcdm041, OneRead) {
  access(1, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm041, OneWrite) {
  access(0, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm041, Refused) {
  add(ev::ExclusiveAccess{.status = static_cast<std::uint32_t>(STATUS_DEVICE_BUSY)});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm041, ForWantOfMemoryInAScenarioThatTakesIt) {
  op(OpKind::FailPool);
  add(ev::ExclusiveAccess{.status = static_cast<std::uint32_t>(STATUS_NO_MEMORY)});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm041, APacketThatNeverEnds) {
  works_before();
  access();
  add(ev::Submitted{.packet = 2});
  add(ev::Stuck{});
  ends(2, PacketFate::Lost);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm041, OneThatTheScenarioHoldsUp) {
  works_before();
  access();
  add(ev::Submitted{.packet = 2});
  add(ev::Stuck{.excused = 1});
  ends(2, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm041, ADriverThatNeverWorked) {
  access();
  add(ev::Submitted{.packet = 2});
  add(ev::Stuck{});
  ends(2, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::mcdm_041
