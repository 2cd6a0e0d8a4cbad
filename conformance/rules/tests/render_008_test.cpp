// What packets of altered buffers reach.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::render_008 {
namespace {

class Render008 : public TraceTest {
 protected:
  // Render of a buffer that user mode has altered, and its packet.
  void renders(NTSTATUS status = STATUS_SUCCESS, std::uint32_t hostile = 1) {
    add(ev::Rendered{
        .render = 3, .status = static_cast<std::uint32_t>(status), .hostile = hostile});
    add(ev::Patched{.packet = 5, .render = 3, .fence = 7});
    add(ev::Submitted{.packet = 5, .render = 3, .fence = 7});
  }
  // ... that goes as Render has left it.
  void renders_unpatched() {
    add(ev::Rendered{.render = 3, .hostile = 1});
    add(ev::Submitted{.packet = 5, .render = 3, .fence = 7});
  }
  void faults() { add(ev::DeviceLogged{.address = 0x1000, .kind = WDDM_DEVICE_FAULT, .tag = 7}); }
  void differs(MemoryCause cause = MemoryCause::Render) {
    add(ev::MemoryDiffers{
        .length = 4, .cause = static_cast<std::uint32_t>(cause), .cause_object = 5});
  }
};

TEST_F(Render008, NothingElseIsReached) {
  renders();
  EXPECT_EQ(times_reached("RENDER-008"), 0u) << "nobody has seen what it does";
  add(ev::MemoryChecked{.cause = static_cast<std::uint32_t>(MemoryCause::Render), .object = 5});
  EXPECT_TRUE(holds("RENDER-008"));
  EXPECT_EQ(times_reached("RENDER-008"), 1u);
}

TEST_F(Render008, ItsPacketEnds) {
  renders();
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_END, .tag = 7});
  EXPECT_TRUE(holds("RENDER-008"));
  EXPECT_EQ(times_reached("RENDER-008"), 1u);
}

TEST_F(Render008, WhatIsRefusedReachesNothing) {
  renders(STATUS_PRIVILEGED_INSTRUCTION);
  EXPECT_TRUE(holds("RENDER-008"));
  EXPECT_EQ(times_reached("RENDER-008"), 1u);
}

TEST_F(Render008, ThePacketReachesWhatIsNoMemory) {
  renders();
  faults();
  EXPECT_FALSE(holds("RENDER-008"));
}

TEST_F(Render008, ThePacketWritesWhatItsListDoesNotName) {
  renders();
  differs();
  EXPECT_FALSE(holds("RENDER-008"));
}

TEST_F(Render008, WhereOthersGoWrongTooNothingIsKnown) {
  add(ev::Submitted{.packet = 4, .render = 2, .fence = 6});
  add(ev::DeviceLogged{.address = 0x10, .kind = WDDM_DEVICE_FAULT, .tag = 6});
  renders();
  faults();
  differs();
  EXPECT_TRUE(holds("RENDER-008"));
  EXPECT_EQ(times_reached("RENDER-008"), 0u);
}

TEST_F(Render008, AddressesThatRenderMayNotHavePutThere) {
  renders_unpatched();
  faults();
  differs();
  EXPECT_TRUE(holds("RENDER-008"));
  EXPECT_EQ(times_reached("RENDER-008"), 0u);
}

TEST_F(Render008, AddressesThatRenderPutsThere) {
  add(ev::Submitted{.packet = 4, .render = 2, .fence = 6});
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_END, .tag = 6});
  renders_unpatched();
  faults();
  EXPECT_FALSE(holds("RENDER-008"));
}

TEST_F(Render008, ThatOthersRunWhenPatchedSaysNothingOfThem) {
  add(ev::Patched{.packet = 4, .render = 2, .fence = 6});
  add(ev::Submitted{.packet = 4, .render = 2, .fence = 6});
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_END, .tag = 6});
  renders_unpatched();
  faults();
  EXPECT_TRUE(holds("RENDER-008"));
}

TEST_F(Render008, NorBehindAPreemption) {
  renders();
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED});
  faults();
  EXPECT_TRUE(holds("RENDER-008"));
}

TEST_F(Render008, NorOfPortions) {
  renders();
  add(ev::Submitted{.packet = 6, .render = 3, .fence = 8, .start = 64, .end = 128});
  faults();
  EXPECT_TRUE(holds("RENDER-008"));
}

TEST_F(Render008, ItsOwnCommandsAreReadByNoCommand) {
  add(ev::Rendered{.render = 3, .hostile = 1});
  add(ev::Patched{.packet = 5, .render = 3, .fence = 7});
  add(ev::Submitted{.address = 0x1000, .packet = 5, .render = 3, .fence = 7, .end = 64});
  faults();
  EXPECT_TRUE(holds("RENDER-008"));
}

TEST_F(Render008, OfPagingOthersJudge) {
  renders();
  differs(MemoryCause::Paging);
  EXPECT_TRUE(holds("RENDER-008"));
}

TEST_F(Render008, OfBuffersAsTheClientBuiltThemToo) {
  renders(STATUS_SUCCESS, 0);
  faults();
  differs();
  EXPECT_TRUE(holds("RENDER-008"));
  EXPECT_EQ(times_reached("RENDER-008"), 0u);
}

}  // namespace
}  // namespace wddm::render_008
