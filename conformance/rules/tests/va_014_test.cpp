// Requests that clients are told a value for, what comes of them, and when the fence has it.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::va_014 {
namespace {

class Va014 : public TraceTest {
 protected:
  void maps(std::uint32_t value, std::uint32_t device = 1) {
    add(ev::AddressAnswered{.paging_fence = value, .device = device});
  }
  void requires_some(std::uint32_t value, std::uint32_t device = 1) {
    add(ev::ResidencyAsked{.fence_value = value, .device = device});
  }
  std::uint32_t updates() {
    add(ev::TableUpdated{});
    return updates_++;
  }
  void executed(std::uint32_t update) { add(ev::TableCompared{.update = update}); }
  void flushes() {
    add(ev::PagingBuilt{.operation = DXGK_OPERATION_FLUSH_TLB, .given = 64, .packet = kNone});
  }
  void flushed() { add(ev::PagingDone{.operation = DXGK_OPERATION_FLUSH_TLB}); }
  void signals(std::uint64_t value, std::uint32_t device = 1) {
    add(ev::PagingFenceSignalled{.value = value, .device = device});
  }
  bool holds() { return TraceTest::holds("VA-014"); }
  std::uint32_t reached() { return times_reached("VA-014"); }

 private:
  std::uint32_t updates_ = 0;
};

TEST_F(Va014, BehindAllWork) {
  maps(1);
  executed(updates());
  flushes();
  flushed();
  signals(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Va014, AheadOfAnUpdate) {
  maps(1);
  const std::uint32_t first = updates(), second = updates();
  executed(first);
  signals(1);
  executed(second);
  EXPECT_FALSE(holds());
}

TEST_F(Va014, AheadOfAFlush) {
  requires_some(1);
  executed(updates());
  flushes();
  signals(1);
  flushed();
  EXPECT_FALSE(holds());
}

TEST_F(Va014, WhatTheCpuHasWrittenIsOver) {
  maps(1);
  executed(updates());
  signals(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Va014, WhatWasRefusedIsNotExecuted) {
  maps(1);
  add(ev::TableUpdated{.status = 0xC0000001});
  signals(1);
  EXPECT_TRUE(holds());
}

TEST_F(Va014, NothingCameOfIt) {
  updates();
  maps(1);
  signals(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Va014, AnotherThreadsUpdatesAreOfNoRequest) {
  maps(1);
  executed(updates());
  thread_ = 2;
  updates();
  signals(1);
  EXPECT_TRUE(holds());
}

TEST_F(Va014, EachDeviceHasItsOwn) {
  maps(1, 1);
  updates();
  signals(1, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Va014, OneValueIsForAllBefore) {
  maps(1);
  updates();
  requires_some(2);
  executed(updates());
  signals(2);
  EXPECT_FALSE(holds());
}

TEST_F(Va014, ValuesRise) {
  signals(2);
  signals(3);
  EXPECT_TRUE(holds());
  signals(3);
  EXPECT_FALSE(holds());
}

TEST_F(Va014, OfANewDeviceFromTheStart) {
  signals(2);
  add(ev::DeviceCreated{.device = 1});
  signals(1);
  EXPECT_TRUE(holds());
}

TEST_F(Va014, WhatAResetTookIsOverForNobody) {
  maps(1);
  updates();
  flushes();
  add(ev::EngineReset{});
  signals(1);
  EXPECT_TRUE(holds());
}

TEST_F(Va014, PagingThatWasLost) {
  maps(1);
  updates();
  add(ev::PacketEnded{.fate = static_cast<std::uint32_t>(PacketFate::Faulted), .paging = 1});
  signals(1);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::va_014
