// What packets behind a flush show of what was kept before it.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"
#include "reference/trace/ddi.h"

namespace wddm::vpage_004 {
namespace {

class Vpage004 : public TraceTest {
 protected:
  Vpage004() {
    platform_.page_table_levels = 2;
    add(ev::RootSet{.context = 1, .process = 3});
  }
  void submitted(std::uint32_t packet, std::uint32_t engine = 0, std::uint32_t node = 0) {
    add(ev::Submitted{.packet = packet,
                      .render = packet,
                      .node = node,
                      .fence = 5,
                      .context = 1,
                      .engine = engine});
  }
  void builds_flush(std::uint32_t process = 3, std::uint32_t gpu = 0) {
    add(ev::TlbFlushBuilt{.process = process, .physical_adapter = gpu});
  }
  void executes_flush() { add(ev::PagingDone{.operation = DXGK_OPERATION_FLUSH_TLB}); }
  void flush(std::uint32_t process = 3, std::uint32_t gpu = 0) {
    builds_flush(process, gpu);
    executes_flush();
  }
  void astray(AstrayWalk why, std::uint32_t level = 0) {
    add(ev::WalkAstray{.fence = 5, .level = level, .why = static_cast<std::uint32_t>(why)});
  }
  void differs(std::uint32_t packet) { add(ev::MemoryDiffers{.cause_object = packet}); }
  void logs(std::uint32_t kind) { add(ev::DeviceLogged{.kind = kind, .tag = 5}); }
  bool holds() { return TraceTest::holds("VPAGE-004"); }
};

TEST_F(Vpage004, MemoryIsAsItMustBe) {
  flush();
  submitted(2);
  add(ev::MemoryChecked{.object = 2});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-004"), 1u);
}

TEST_F(Vpage004, MemoryDiffers) {
  flush();
  submitted(2);
  differs(2);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage004, WhatIsToRunNothingSaysNothingOfAddresses) {
  flush();
  constexpr std::uint32_t kNullRendering = 0x8;
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::SubmitCommandVirtual), .object = 2},
      std::vector<ddi_arguments::SubmitCommandVirtual>{{.flags = kNullRendering}});
  submitted(2);
  differs(2);
  add(ev::MemoryChecked{.object = 2});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-004"), 0u);
}

TEST_F(Vpage004, WhatWasStoppedBeforeItsEndHasNotWrittenAll) {
  flush();
  submitted(2);
  logs(WDDM_DEVICE_PACKET_BEGIN);
  logs(WDDM_DEVICE_PACKET_STOPPED);
  differs(2);
  EXPECT_TRUE(holds());
}

TEST_F(Vpage004, BehindPagingThatWasStoppedAndCountsAsCompletedNothingSaysAnything) {
  flush();
  add(ev::Submitted{.packet = 1, .fence = 5, .context = kNone, .paging = 1});
  logs(WDDM_DEVICE_PACKET_STOPPED);
  add(ev::PacketEnded{.packet = 1,
                      .fence = 5,
                      .fate = static_cast<std::uint32_t>(PacketFate::Completed),
                      .paging = 1});
  submitted(2);
  differs(2);
  EXPECT_TRUE(holds());
}

TEST_F(Vpage004, PagingThatWasStoppedAndRunsAgainIsNone) {
  flush();
  add(ev::Submitted{.packet = 1, .fence = 5, .context = kNone, .paging = 1});
  logs(WDDM_DEVICE_PACKET_STOPPED);
  add(ev::Submitted{.packet = 1, .fence = 5, .context = kNone, .paging = 1, .again = 1});
  logs(WDDM_DEVICE_PACKET_BEGIN);
  logs(WDDM_DEVICE_PACKET_END);
  add(ev::PacketEnded{.packet = 1,
                      .fence = 5,
                      .fate = static_cast<std::uint32_t>(PacketFate::Completed),
                      .paging = 1});
  submitted(2);
  differs(2);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage004, WhatAFaultHasStoppedShowsSomething) {
  flush();
  submitted(2);
  logs(WDDM_DEVICE_PAGE_FAULT);
  logs(WDDM_DEVICE_PACKET_STOPPED);
  differs(2);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage004, APacketThatWasToFaultMayHaveBeenPermittedTooMuch) {
  flush();
  submitted(2);
  add(ev::MarkerRead{
      .packet = 2, .runs = 1, .reason = static_cast<std::uint32_t>(MarkerReason::AtEnd)});
  differs(2);
  EXPECT_TRUE(holds());
}

TEST_F(Vpage004, ATableIsReadWhereItWas) {
  flush();
  submitted(2);
  astray(AstrayWalk::FormerTable);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage004, OfRootsAnotherClauseSpeaks) {
  flush();
  submitted(2);
  astray(AstrayWalk::FormerTable, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-004"), 0u);
}

TEST_F(Vpage004, PacketsBeforeTheFlushMayUseWhatIsKept) {
  submitted(2);
  flush();
  differs(2);
  EXPECT_TRUE(holds());
}

TEST_F(Vpage004, TheFlushWasOfAnotherSpace) {
  flush(4);
  submitted(2);
  differs(2);
  EXPECT_TRUE(holds());
}

TEST_F(Vpage004, EachGpuOfALinkIsFlushedForItself) {
  flush();
  submitted(2, 1);
  differs(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-004"), 0u);
  flush(3, 1);
  submitted(3, 1);
  differs(3);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage004, EachEngineHasATlbOfItsOwn) {
  flush();
  submitted(2);
  submitted(3, 0, 1);
  add(ev::MemoryChecked{.object = 2});
  EXPECT_TRUE(holds());
  differs(3);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage004, OfTheNextOnAnEngineThatHasShownItsOwnNothingIsSaid) {
  flush();
  submitted(2);
  submitted(3);
  add(ev::MemoryChecked{.object = 2});
  differs(3);
  EXPECT_TRUE(holds());
}

TEST_F(Vpage004, AFlushThatWasOnlyBuiltIsNone) {
  flush();
  builds_flush();
  submitted(2);
  executes_flush();
  differs(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-004"), 0u);
}

TEST_F(Vpage004, AFlushOfNoCommandsIsOverWhenItIsBuilt) {
  add(ev::PagingDone{.operation = DXGK_OPERATION_FLUSH_TLB, .packet = kNone});
  builds_flush();
  submitted(2);
  differs(2);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage004, WhoRanBeforeItWasExecutedDoesNotSettleIt) {
  builds_flush();
  submitted(2);
  add(ev::MemoryChecked{.object = 2});
  executes_flush();
  submitted(3);
  differs(3);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage004, WhoDoesNotWaitShowsNothing) {
  flush();
  add(ev::NotAwaited{.render = 2});
  submitted(2);
  differs(2);
  EXPECT_TRUE(holds());
}

TEST_F(Vpage004, EachGpuOfALinkHasFencesOfItsOwn) {
  submitted(2);
  flush();
  submitted(3, 1);
  astray(AstrayWalk::FormerTable);  // of the packet before the flush, on GPU 0
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::vpage_004
