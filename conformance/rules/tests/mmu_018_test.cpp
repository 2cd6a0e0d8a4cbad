// Which devices are in error behind a page fault, and what is reset.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::mmu_018 {
namespace {

class Mmu018 : public TraceTest {
 protected:
  Mmu018() {
    add(ev::RootSet{.context = 1, .process = 3});
    add(ev::RootSet{.context = 2, .process = 3});
    add(ev::RootSet{.context = 5, .process = 4});
  }
  void submitted(std::uint32_t packet, std::uint32_t context) {
    add(ev::Submitted{.packet = packet, .context = context});
  }
  void faulted(std::uint32_t packet, std::uint32_t flags = 0) {
    add(ev::PageFaultReported{.flags = flags, .packet = packet});
  }
  void in_error(std::uint32_t device, std::uint32_t process, std::uint32_t cause = 0) {
    add(ev::DeviceInError{.device = device, .process = process, .cause = cause});
  }
  void engine_reset() { add(ev::EngineReset{.status = 0}); }
  void adapter_reset(std::uint32_t cause = 0) { add(ev::AdapterReset{.cause = cause}); }
  bool holds() { return TraceTest::holds("MMU-018"); }
};

TEST_F(Mmu018, ItsOwnDevice) {
  submitted(7, 1);
  faulted(7);
  in_error(0, 3);
  engine_reset();
  submitted(8, 5);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-018"), 2u);
}

TEST_F(Mmu018, ThatOfAnotherProcess) {
  submitted(7, 1);
  faulted(7);
  in_error(1, 4);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu018, AnotherOneOfTheProcessToo) {
  submitted(7, 1);
  faulted(7);
  in_error(0, 3);
  in_error(2, 3);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu018, TwoFaultsOfAProcess) {
  submitted(7, 1);
  submitted(8, 2);
  faulted(7);
  faulted(8);
  in_error(0, 3);
  in_error(2, 3);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu018, TheResetMayNameAnother) {
  submitted(7, 1);
  add(ev::Submitted{.packet = 8, .fence = 8, .context = 2});
  faulted(7);
  in_error(0, 3);
  add(ev::EngineReset{.aborted = 8});
  in_error(2, 3);
  EXPECT_TRUE(holds());
  in_error(2, 3);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu018, AFaultIsOverWithTheResetOfItsEngine) {
  submitted(7, 1);
  faulted(7);
  engine_reset();
  in_error(0, 3);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu018, WhoseFaultItIsNobodyKnows) {
  faulted(kNone, 0xA);
  in_error(0, 3);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu018, ItsContextRunsAgain) {
  submitted(7, 1);
  faulted(7);
  in_error(0, 3);
  engine_reset();
  submitted(8, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu018, ANewContextInTheSlotMay) {
  submitted(7, 1);
  faulted(7);
  in_error(0, 3);
  engine_reset();
  add(ev::ContextCreated{.context = 1});
  submitted(8, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu018, OtherCausesAreOtherMatters) {
  in_error(0, 3, 1);
  in_error(1, 4, 4);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-018"), 0u);
}

TEST_F(Mmu018, TheAdapterAtOnce) {
  submitted(7, 1);
  faulted(7);
  in_error(0, 3);
  adapter_reset();
  EXPECT_FALSE(holds());
}

TEST_F(Mmu018, TheAdapterBehindTheEngine) {
  submitted(7, 1);
  faulted(7);
  in_error(0, 3);
  engine_reset();
  adapter_reset();
  EXPECT_TRUE(holds());
}

TEST_F(Mmu018, TheAdapterAsTheDriverAsks) {
  submitted(7, 1);
  faulted(7, 4);
  adapter_reset();
  EXPECT_TRUE(holds());
}

TEST_F(Mmu018, TheAdapterForPaging) {
  add(ev::Submitted{.packet = 7, .context = kNone, .paging = 1});
  faulted(7);
  adapter_reset();
  EXPECT_TRUE(holds());
}

TEST_F(Mmu018, TheAdapterForATimeout) {
  adapter_reset(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-018"), 0u);
}

}  // namespace
}  // namespace wddm::mmu_018
