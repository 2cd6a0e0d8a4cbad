// Packets beside which entries of their space were updated.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pt_016 {
namespace {

constexpr std::uint32_t kPagingPacket = 2, kPacket = 9;

class Pt016 : public TraceTest {
 protected:
  Pt016() { add(ev::RootSet{.context = 1, .process = 3}); }
  void draws(std::uint32_t node = 1) {
    add(ev::Submitted{
        .packet = kPacket, .render = 7, .node = node, .fence = kPacket, .context = 1});
  }
  void built(std::uint32_t process = 3) { add(ev::TableUpdated{.process = process, .count = 1}); }
  void pages() {
    add(ev::Submitted{.packet = kPagingPacket, .fence = 2, .context = kNone, .paging = 1});
  }
  void executed(std::uint32_t packet = kPagingPacket, std::uint32_t process = 3) {
    add(ev::TableCompared{.packet = packet, .process = process});
  }
  void updates(std::uint32_t process = 3) {
    built(process);
    pages();
    executed(kPagingPacket, process);
  }
  void ends() { add(ev::PacketEnded{.packet = kPacket}); }
  void right() { add(ev::MemoryChecked{.object = kPacket}); }
  void differs() { add(ev::MemoryDiffers{.cause_object = kPacket}); }
  bool holds() { return TraceTest::holds("PT-016"); }
  std::uint32_t reached() { return times_reached("PT-016"); }
};

TEST_F(Pt016, ItGoesOn) {
  draws();
  updates();
  ends();
  right();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Pt016, ItDoesNot) {
  draws();
  updates();
  ends();
  differs();
  EXPECT_FALSE(holds());
}

TEST_F(Pt016, AFaultWhereNothingIsMappedIsItsOwn) {
  draws();
  updates();
  add(ev::AccessFaulted{.address = 0x5000, .node = 1, .fence = kPacket, .packet = kPacket});
  add(ev::MarkerRead{.packet = kPacket, .expected = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Pt016, SubmittedWhileTheUpdateIsAtItsEngine) {
  built();
  pages();
  draws();
  executed();
  differs();
  EXPECT_FALSE(holds());
}

TEST_F(Pt016, EndedWhileTheUpdateIsAtItsEngine) {
  draws();
  built();
  pages();
  ends();
  executed();
  differs();
  EXPECT_FALSE(holds());
}

// One waits for the other.
TEST_F(Pt016, OnOneEngineNothingIsBeside) {
  draws(0);
  updates();
  differs();
  EXPECT_TRUE(holds());
  right();
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Pt016, ByTheCpuItIs) {
  draws(0);
  built();
  executed(kNone);
  differs();
  EXPECT_FALSE(holds());
}

TEST_F(Pt016, BehindTheUpdateNothingIsBeside) {
  updates();
  draws();
  differs();
  EXPECT_TRUE(holds());
}

TEST_F(Pt016, UpdatesOfOtherProcessesAreNotOfIts) {
  draws();
  updates(4);
  differs();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Pt016, WithOneNodeTheCpuAloneUpdatesBesideWork) {
  Platform platform;
  platform.started = platform.has_client = platform.gpu_mmu = true;
  platform.update_mode = update_mode::kGpuPhysical;
  platform.nodes = 2;
  const Rule& rule = *find_rule("PT-016");
  EXPECT_EQ(rule.applies(platform), nullptr);
  platform.nodes = 1;
  EXPECT_NE(rule.applies(platform), nullptr);
  platform.update_mode = update_mode::kCpuVirtual;
  EXPECT_EQ(rule.applies(platform), nullptr);
}

}  // namespace
}  // namespace wddm::pt_016
