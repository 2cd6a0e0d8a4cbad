// Paging that another node executes or reports.
#include <d3dkmddi.h>

#include "conformance/rules/tests/device_log_test.h"

namespace wddm::submit_003 {
namespace {

// Paging packet 1 for node 1, in a buffer at 0x1000.
class Submit003 : public DeviceLogTest {
 protected:
  Submit003() {
    add(ev::Submitted{
        .address = 0x1000, .packet = 1, .node = 1, .fence = kFence, .end = 0x40, .paging = 1});
  }
  void completed(std::uint32_t node) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = kFence, .node = node});
  }
  bool holds() { return TraceTest::holds("SUBMIT-003"); }
};

TEST_F(Submit003, TheNodeThatWasNamedReports) {
  logs(WDDM_DEVICE_PACKET_BEGIN, 0x1000, 0x40, 1);
  completed(1);
  EXPECT_TRUE(holds());
}

TEST_F(Submit003, AnotherNodeDoesNotReport) {
  completed(0);
  EXPECT_FALSE(holds());
}

TEST_F(Submit003, TheSameNodeOfAnotherAdapterDoesNotReport) {
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = kFence, .node = 1, .engine = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Submit003, AnotherNodeDoesNotExecuteWhoeverReports) {
  logs(WDDM_DEVICE_PACKET_BEGIN, 0x1000, 0x40, 0);
  completed(1);
  EXPECT_FALSE(holds());
}

TEST_F(Submit003, AnotherNodeMayHaveTheSameFenceAndRepeatIt) {
  add(ev::Submitted{.address = 0x2000, .packet = 2, .fence = kFence, .end = 0x40});
  logs(WDDM_DEVICE_PACKET_BEGIN, 0x2000, 0x40, 0);
  completed(0);
  completed(0);
  completed(1);
  EXPECT_TRUE(holds());
}

// With GPU virtual addresses, in two processes.
TEST_F(Submit003, AnotherNodeMayHaveAPacketOfTheSameFenceAtTheSameAddress) {
  add(ev::Submitted{.address = 0x1000, .packet = 2, .fence = kFence, .end = 0x40});
  logs(WDDM_DEVICE_PACKET_BEGIN, 0x1000, 0x40, 0);
  completed(0);
  completed(1);
  EXPECT_TRUE(holds());
}

TEST_F(Submit003, APacketElsewhereOfTheSameFenceIsNoExcuse) {
  add(ev::Submitted{.address = 0x2000, .packet = 2, .fence = kFence, .end = 0x40});
  logs(WDDM_DEVICE_PACKET_BEGIN, 0x1000, 0x40, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Submit003, AReportCoversThePagingBeforeIt) {
  add(ev::Submitted{.packet = 2, .node = 1, .fence = kFence + 1});
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = kFence + 1, .node = 1});
  completed(0);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::submit_003
