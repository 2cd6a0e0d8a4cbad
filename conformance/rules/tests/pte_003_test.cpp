// Zero entries, and what packets that use them leave in memory.
#include "conformance/rules/tests/tables_test.h"
#include "conformance/sdk/device.h"

namespace wddm::pte_003 {
namespace {

class Pte003 : public TablesTest {
 protected:
  Pte003() {
    add(ev::RootSet{.context = 1, .process = 3});
    add(ev::RootSet{.context = 2, .process = 4});
  }
  void zero_entries() {
    const EntryRecord zero{.flags = kValid | kZero};
    one(zero, zero, {.process = 3});
  }
  void draws(std::uint32_t context) {
    add(ev::Submitted{.packet = 9, .render = 7, .fence = 9, .context = context});
  }
  void right() { add(ev::MemoryChecked{.object = 9}); }
  void differs() { add(ev::MemoryDiffers{.cause_object = 9}); }
  bool holds() { return TraceTest::holds("PTE-003"); }
};

TEST_F(Pte003, ZerosAreRead) {
  zero_entries();
  draws(1);
  right();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PTE-003"), 2u);
}

TEST_F(Pte003, APacketThatUsesNothingTellsNothing) {
  zero_entries();
  EXPECT_EQ(times_reached("PTE-003"), 1u);
  add(ev::PortionPlanned{.render = 7, .count = 1});  // the mark
  draws(1);
  right();
  EXPECT_EQ(times_reached("PTE-003"), 1u);
}

TEST_F(Pte003, MemoryDiffers) {
  zero_entries();
  draws(1);
  differs();
  EXPECT_FALSE(holds());
}

TEST_F(Pte003, ThePageThatTheyNameIsNotLookedFor) {
  zero_entries();
  draws(1);
  add(ev::DeviceLogged{.address = 0x100, .kind = WDDM_DEVICE_FAULT, .tag = 9});
  EXPECT_FALSE(holds());
}

TEST_F(Pte003, OtherAddressesThatAreNoMemoryAreAnothersMatter) {
  zero_entries();
  draws(1);
  add(ev::DeviceLogged{.address = 0x5000, .kind = WDDM_DEVICE_FAULT, .tag = 9});
  EXPECT_TRUE(holds());
}

TEST_F(Pte003, WhoLooksForPageZeroWithoutThemHasAnotherReason) {
  draws(1);
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_FAULT, .tag = 9});
  zero_entries();
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_FAULT, .tag = 9});
  EXPECT_TRUE(holds());
}

TEST_F(Pte003, TheEntryIsAnother) {
  one({.flags = kValid | kZero}, {.flags = kValid});
  EXPECT_FALSE(holds());
}

// One that stands for a whole table.
TEST_F(Pte003, TheEntryOfADirectoryIsAnother) {
  one({.flags = kValid | kZero}, {.flags = kValid | kSystem}, {.level = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Pte003, ProcessesWithoutSuchAddressesAreAnothersMatter) {
  zero_entries();
  draws(2);
  differs();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PTE-003"), 1u);
}

TEST_F(Pte003, WhatWasBeforeIsAnothersMatter) {
  draws(1);
  differs();
  zero_entries();
  EXPECT_TRUE(holds());
}

TEST_F(Pte003, WhoDoesWrongAnywayTellsNothing) {
  draws(1);
  differs();
  zero_entries();
  draws(1);
  differs();
  EXPECT_TRUE(holds());
}

TEST_F(Pte003, WhoDoesNotWaitShowsNothing) {
  zero_entries();
  add(ev::NotAwaited{.render = 7});
  draws(1);
  differs();
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::pte_003
