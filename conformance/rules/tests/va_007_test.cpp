// Addresses that were freed, and who uses them then.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::va_007 {
namespace {

class Va007 : public TraceTest {
 protected:
  Va007() {
    add(ev::RootSet{.context = 1, .process = 3});
    add(ev::RootSet{.context = 2, .process = 4});
  }
  void frees() {
    add(ev::AddressAnswered{.base = 0x5000,
                            .size = 0x1000,
                            .process = 3,
                            .request = static_cast<std::uint32_t>(AddressRequest::Free)});
  }
  void maps(std::uint64_t address = 0x5000) {
    add(ev::AddressAnswered{.size = 0x1000,
                            .address = address,
                            .process = 3,
                            .request = static_cast<std::uint32_t>(AddressRequest::Map)});
  }
  void draws(std::uint32_t context = 1) {
    add(ev::Submitted{.packet = 9, .render = 7, .fence = 9, .context = context});
  }
  void right() { add(ev::MemoryChecked{.object = 9}); }
  void differs() { add(ev::MemoryDiffers{.cause_object = 9}); }
  void runs(std::uint32_t runs) {
    add(ev::MarkerRead{.packet = 9,
                       .runs = runs,
                       .expected = 0,
                       .reason = static_cast<std::uint32_t>(MarkerReason::AtEnd)});
  }
  bool holds() { return TraceTest::holds("VA-007"); }
  std::uint32_t reached() { return times_reached("VA-007"); }
};

TEST_F(Va007, GivenOutAgain) {
  frees();
  maps();
  draws();
  right();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Va007, TheOldPagesAreReached) {
  frees();
  maps();
  draws();
  differs();
  EXPECT_FALSE(holds());
}

TEST_F(Va007, WhoDidWrongBeforeTellsNothing) {
  draws();
  differs();
  frees();
  maps();
  draws();
  differs();
  EXPECT_TRUE(holds());
}

TEST_F(Va007, AnAccessToWhatWasFreedFaults) {
  frees();
  draws();
  runs(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Va007, AnAccessToWhatWasFreedSucceeds) {
  frees();
  draws();
  runs(1);
  EXPECT_FALSE(holds());
}

TEST_F(Va007, WhatFaultsWhereAllWasGivenOutAgainHasOtherReasons) {
  frees();
  maps();
  draws();
  runs(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Va007, WhoDoesNotWaitMayFaultAnywhere) {
  frees();
  add(ev::NotAwaited{.render = 7});
  draws();
  runs(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Va007, AnotherProcessOfThatNumberHasFreedNothing) {
  frees();
  add(ev::ProcessCreated{.process = 3});
  maps();
  draws();
  right();
  EXPECT_EQ(reached(), 0u);
  differs();
  EXPECT_TRUE(holds());
}

TEST_F(Va007, OtherAddressesAreNotTheSameAgain) {
  frees();
  maps(0x9000);
  draws();
  right();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Va007, OtherProcessesAndEarlierPacketsTellNothing) {
  draws();
  frees();
  maps();
  differs();
  draws(2);
  differs();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::va_007
