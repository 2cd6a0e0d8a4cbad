// Entries of addresses that are given back, or given to another, and packets that come behind.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::va_013 {
namespace {

class Va013 : public TraceTest {
 protected:
  Va013() {
    add(ev::RootSet{.context = 1, .process = 3});
    add(ev::RootSet{.context = 2, .process = 4});
    writes(0x20000, 1);
  }
  void writes(std::uint64_t address, std::uint32_t allocation, std::uint32_t flags = 1) {
    add(ev::TableUpdated{.place = 0x5000,
                         .first_va = address,
                         .process = 3,
                         .count = 1,
                         .allocation = allocation},
        std::vector<EntryRecord>{{.address = 0x9000, .flags = flags}});
  }
  void frees(std::uint64_t base, std::uint32_t refused = 0) {
    add(ev::AddressAnswered{.base = base,
                            .size = 0x1000,
                            .process = 3,
                            .request = static_cast<std::uint32_t>(AddressRequest::Free),
                            .allocation = kNone,
                            .refused = refused});
  }
  void maps(std::uint64_t address, std::uint32_t allocation) {
    add(ev::AddressAnswered{.size = 0x1000,
                            .address = address,
                            .process = 3,
                            .request = static_cast<std::uint32_t>(AddressRequest::Map),
                            .allocation = allocation});
  }
  void planned(std::uint32_t render) { add(ev::PortionPlanned{.render = render}); }
  void submitted(std::uint32_t render, std::uint32_t context = 1) {
    add(ev::Submitted{.packet = render, .render = render, .context = context});
  }
  void draws(std::uint32_t render, std::uint32_t context = 1) {
    planned(render);
    submitted(render, context);
  }
  bool holds() { return TraceTest::holds("VA-013"); }
  std::uint32_t reached() { return times_reached("VA-013"); }
};

TEST_F(Va013, TheyAreEmptied) {
  frees(0x20000);
  writes(0x20000, 1, 0);
  draws(7);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Va013, TheyStay) {
  frees(0x20000);
  draws(7);
  EXPECT_FALSE(holds());
}

TEST_F(Va013, OfSeveralTheOthersStay) {
  add(
      ev::TableUpdated{
          .place = 0x5000, .first_va = 0x30000, .process = 3, .count = 3, .allocation = 1},
      std::vector<EntryRecord>(3, EntryRecord{.address = 0x9000, .flags = 1}));
  frees(0x31000);
  writes(0x31000, 1, 0);
  draws(7);
  EXPECT_TRUE(holds());
}

TEST_F(Va013, TheirTableIsGone) {
  frees(0x20000);
  add(ev::TableMoved{.from = 0x5000, .process = 3, .level = 0, .gone = 1});
  draws(7);
  EXPECT_TRUE(holds());
}

TEST_F(Va013, AnotherAllocationGetsThem) {
  maps(0x20000, 2);
  writes(0x20000, 2);
  draws(7);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Va013, TheOneBeforeKeepsThem) {
  maps(0x20000, 2);
  draws(7);
  EXPECT_FALSE(holds());
}

TEST_F(Va013, TheSameAllocationMayKeepThem) {
  maps(0x20000, 1);
  draws(7);
  EXPECT_TRUE(holds());
}

TEST_F(Va013, OtherAddressesAreOtherMatters) {
  frees(0x40000);
  draws(7);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Va013, WhatWasRefusedChangesNothing) {
  frees(0x20000, 1);
  draws(7);
  EXPECT_TRUE(holds());
}

TEST_F(Va013, WhatWasDecidedOnBeforeGoesOn) {
  planned(7);
  frees(0x20000);
  submitted(7);
  EXPECT_TRUE(holds());
}

TEST_F(Va013, SoDoOtherProcesses) {
  frees(0x20000);
  draws(7, 2);
  EXPECT_TRUE(holds());
}

TEST_F(Va013, WhoDoesNotWaitComesAhead) {
  frees(0x20000);
  add(ev::NotAwaited{.render = 7});
  draws(7);
  EXPECT_TRUE(holds());
  draws(8);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::va_013
