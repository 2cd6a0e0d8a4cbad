// Packets that run twice because an interrupt came into their submission.
#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::intr_008 {
namespace {

class Intr008 : public TraceTest {
 protected:
  void interrupt() {
    add(ev::IsrEntered{.asserted = 1});
    add(ev::IsrLeft{.claimed = 1});
  }
  void returns(std::uint32_t packet) {
    add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::SubmitCommand), .object = packet});
    add(ev::Submitted{.packet = packet, .fence = packet, .end = 64});
  }
  void runs(std::uint32_t packet) {
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_BEGIN, .tag = packet});
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_END, .tag = packet});
  }
  bool holds() { return TraceTest::holds("INTR-008"); }
};

TEST_F(Intr008, ThePacketOfTheCallRunsTwice) {
  enters(2);
  interrupt();
  runs(2);
  returns(2);
  EXPECT_TRUE(holds());
  runs(2);
  EXPECT_EQ(failures("INTR-008"), 1u);
}

TEST_F(Intr008, SoDoesOneWithoutAnInterrupt) {
  enters(2);
  interrupt();
  returns(2);
  runs(2);
  runs(2);
  enters(3);
  returns(3);
  runs(3);
  runs(3);
  EXPECT_TRUE(holds()) << "SUBMIT-016";
}

TEST_F(Intr008, TheInterruptCameInUnderSynchronization) {
  enters(2);
  add(ev::SyncEntered{});
  interrupt();
  add(ev::SyncLeft{});
  returns(2);
  runs(2);
  runs(2);
  EXPECT_TRUE(holds());
}

TEST_F(Intr008, ItWasSubmittedAgain) {
  enters(2);
  interrupt();
  returns(2);
  runs(2);
  enters(2);
  interrupt();
  returns(2);
  runs(2);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::intr_008
