// Calls about power components before, between and after what Dxgkrnl tells of power management.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::mcdm_047 {
namespace {

constexpr std::uint32_t kCodes[] = {0xcba549d4, 0x6c929c1d, 0x0a9d9621};

class Mcdm047 : public TraceTest {
 protected:
  enum Stage : std::uint32_t { kPrepare, kStarted, kStopped };
  void enters(Stage stage) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::PowerRuntimeControlRequest)},
        std::vector{ddi_arguments::PowerRuntimeControlRequest{.code = kCodes[stage]}});
  }
  void returns(Stage stage, std::uint64_t returned = 0, std::uint32_t gpu = 0) {
    add(ev::PowerManagementTold{
        .returned = returned, .stage = stage, .asked = 1, .physical_adapter = gpu});
  }
  void tells(Stage stage) {
    enters(stage);
    returns(stage);
  }
  void calls(CallbackId callback) {
    add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(callback)});
  }
  bool holds() { return TraceTest::holds("MCDM-047"); }
};

TEST_F(Mcdm047, AllBetween) {
  tells(kPrepare);
  calls(CallbackId::SetPowerComponentLatency);
  tells(kStarted);
  calls(CallbackId::SetPowerComponentActive);
  calls(CallbackId::SetPowerComponentIdle);
  calls(CallbackId::CompleteFStateTransition);
  tells(kStopped);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-047"), 7u);
}

TEST_F(Mcdm047, ActiveBeforeAnything) {
  calls(CallbackId::SetPowerComponentActive);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm047, IdleBeforeItHasStarted) {
  tells(kPrepare);
  calls(CallbackId::SetPowerComponentIdle);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm047, InsideOfTheNotices) {
  enters(kPrepare);
  calls(CallbackId::SetPowerComponentActive);
  returns(kPrepare);
  enters(kStarted);
  calls(CallbackId::CompletePStateTransition);
  returns(kStarted);
  enters(kStopped);
  calls(CallbackId::SetPowerComponentIdle);
  returns(kStopped);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm047, AfterItHasStopped) {
  tells(kPrepare);
  tells(kStarted);
  tells(kStopped);
  calls(CallbackId::SetPowerComponentIdle);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm047, OfALinkTheLastGpuThatIsToldCounts) {
  platform_.linked_adapters = 2;
  tells(kPrepare);
  tells(kStarted);
  tells(kStopped);
  calls(CallbackId::SetPowerComponentIdle);
  EXPECT_TRUE(holds()) << "it may be of the second";
  returns(kStopped, 0, 1);
  calls(CallbackId::SetPowerComponentIdle);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm047, OtherCallbacksAnyTime) {
  calls(CallbackId::QueueDpc);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm047, MoreBytesThanThereWasRoomFor) {
  enters(kPrepare);
  returns(kPrepare, 64);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::mcdm_047
