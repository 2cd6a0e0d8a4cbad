// Fences, draws and updates in an order that the host does not make.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::va_006 {
namespace {

class Va006 : public TraceTest {
 protected:
  void planned(std::uint32_t render) { add(ev::PortionPlanned{.render = render, .context = 1}); }
  void submitted(std::uint32_t render, std::uint32_t packet) {
    add(ev::Submitted{.packet = packet, .render = render, .context = 1});
  }
  void ended(std::uint32_t packet) { add(ev::PacketEnded{.packet = packet}); }
  void fence(std::uint32_t stage, std::uint64_t value) {
    add(ev::MonitoredFence{.value = value, .fence = 1, .stage = stage, .context = 1});
  }
  void update(std::uint32_t stage, std::uint64_t value, std::uint32_t do_not_wait = 0) {
    add(ev::TileUpdate{.fence_value = value,
                       .stage = stage,
                       .context = 1,
                       .companion = 321,
                       .fence = 1,
                       .do_not_wait = do_not_wait});
  }
  void paging(std::uint32_t packet) {
    add(ev::Submitted{.packet = packet, .render = kNone, .context = 321, .paging = 1});
  }
  void starts() { add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::StartDevice)}); }
  void draw(std::uint32_t render, std::uint32_t packet) {
    planned(render);
    submitted(render, packet);
    ended(packet);
  }
};

TEST_F(Va006, BehindOneDrawAndBeforeTheNext) {
  draw(0, 0);
  fence(0, 1);
  fence(2, 1);
  update(1, 1);
  paging(1);
  ended(1);
  update(2, 1);
  fence(2, 2);
  fence(1, 2);
  draw(1, 2);
  EXPECT_TRUE(holds("VA-006"));
  EXPECT_EQ(times_reached("VA-006"), 3u);
}

TEST_F(Va006, AnUpdateBeforeItsValue) {
  fence(0, 1);
  update(1, 1);
  EXPECT_FALSE(holds("VA-006"));
}

TEST_F(Va006, AnUpdateThatDoesNotWait) {
  fence(0, 1);
  update(1, 1, 1);
  update(2, 1, 1);
  EXPECT_TRUE(holds("VA-006"));
}

TEST_F(Va006, AValueBeforeTheDrawInFrontOfItHasEnded) {
  planned(0);
  submitted(0, 0);
  fence(0, 1);
  fence(2, 1);
  EXPECT_FALSE(holds("VA-006"));
}

TEST_F(Va006, AValueBeforeTheDrawInFrontOfItIsSubmitted) {
  planned(0);
  fence(0, 1);
  fence(2, 1);
  submitted(0, 0);
  EXPECT_FALSE(holds("VA-006"));
}

TEST_F(Va006, ADrawThatDoesNotWaitForItsValue) {
  fence(0, 1);
  fence(1, 1);
  planned(0);
  submitted(0, 0);
  EXPECT_FALSE(holds("VA-006"));
}

// The adapter was reset meanwhile: nothing is left that could signal it.
TEST_F(Va006, WhatAContextWaitedForGoesWithIt) {
  fence(0, 1);
  fence(1, 1);
  add(ev::ContextCreated{.context = 1});
  draw(0, 0);
  EXPECT_TRUE(holds("VA-006"));
}

TEST_F(Va006, AnotherContextThatIsMadeChangesNothing) {
  fence(0, 1);
  fence(1, 1);
  add(ev::ContextCreated{.context = 2});
  draw(0, 0);
  EXPECT_FALSE(holds("VA-006"));
}

TEST_F(Va006, AnEndBeforeThePacketsHaveEnded) {
  update(1, 0);
  paging(0);
  update(2, 0);
  EXPECT_FALSE(holds("VA-006"));
}

TEST_F(Va006, PacketsMayEndBeforeTheirCallReturns) {
  planned(0);
  enters(0);
  ended(0);
  submitted(0, 0);
  fence(0, 1);
  fence(2, 1);
  update(1, 1);
  enters(1);
  ended(1);
  paging(1);
  update(2, 1);
  fence(2, 2);
  EXPECT_TRUE(holds("VA-006"));
}

TEST_F(Va006, AnAdapterThatStartsAgainHasOtherFencesAndPackets) {
  paging(0);
  fence(0, 1);
  fence(2, 1);
  starts();
  update(1, 0);
  update(2, 0);
  EXPECT_TRUE(holds("VA-006"));
  update(1, 1);
  EXPECT_FALSE(holds("VA-006"));
}

TEST_F(Va006, BehindATimeoutFencesBeginAnew) {
  paging(0);
  fence(0, 1);
  fence(2, 1);
  update(1, 1);
  EXPECT_TRUE(holds("VA-006"));
  add(ev::AdapterReset{.stage = 0, .cause = 1});
  update(2, 0);
  add(ev::AdapterReset{.stage = 1, .cause = 1});
  update(1, 0);
  update(2, 0);
  EXPECT_EQ(failures("VA-006"), 1u) << "a packet had not ended before the restart";
  update(1, 1);
  EXPECT_EQ(failures("VA-006"), 2u);
}

TEST_F(Va006, SoTheyAreBehindAPageFaultThatTookTheAdapter) {
  fence(0, 1);
  fence(2, 1);
  add(ev::AdapterReset{.stage = 1, .cause = 0});
  update(1, 0);
  EXPECT_TRUE(holds("VA-006"));
  update(1, 1);
  EXPECT_FALSE(holds("VA-006"));
}

TEST_F(Va006, AValueThatNobodyHasSignalled) {
  update(1, 0);
  fence(2, 1);
  EXPECT_FALSE(holds("VA-006"));
}

}  // namespace
}  // namespace wddm::va_006
