// What is held after RemoveDevice, cycle by cycle, and what AddDevice returns then.
#include <ntddk.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::life_004 {
namespace {

class Life004 : public TraceTest {
 protected:
  void loaded() { add(ev::EntryReturned{}); }
  void cycle(std::uint64_t bytes_after) {
    add(ev::PoolBalance{.bytes = 0, .blocks = 0, .at = 1});
    add(ev::PoolBalance{.bytes = bytes_after, .blocks = bytes_after / 256, .at = 2});
  }
  void calls(DdiId ddi) { add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi)}); }
  bool holds() { return TraceTest::holds("LIFE-004"); }
};

TEST_F(Life004, OneCycleShowsNothing) {
  loaded();
  cycle(256);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-004"), 0u);
}

TEST_F(Life004, ATableMadeOnFirstUseMayStay) {
  loaded();
  cycle(256);
  cycle(256);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-004"), 1u);
}

TEST_F(Life004, ALeakOfEachCycleGrows) {
  loaded();
  cycle(256);
  cycle(512);
  EXPECT_FALSE(holds());
}

TEST_F(Life004, ATableMadeInALaterLifeMayStayToo) {
  loaded();
  calls(DdiId::StartDevice);
  cycle(0);
  calls(DdiId::StartDevice);
  calls(DdiId::CreateContext);
  cycle(256);
  calls(DdiId::CreateContext);
  cycle(256);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-004"), 1u);
}

TEST_F(Life004, ALeakOfEachLifeThatWorksGrows) {
  loaded();
  cycle(0);
  calls(DdiId::CreateContext);
  cycle(256);
  calls(DdiId::CreateContext);
  cycle(512);
  EXPECT_FALSE(holds());
}

// That the driver did not free allocations that it was told to destroy says nothing of the adapter.
TEST_F(Life004, WhatAResourceLeftIsNotOfTheAdapter) {
  loaded();
  cycle(0);
  add(ev::AllocationGroup{.left_blocks = 1});
  cycle(256);
  add(ev::HostileDataTried{.left_blocks = 1});
  cycle(512);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-004"), 0u);
}

TEST_F(Life004, WhatIsLeftBehindThatIs) {
  loaded();
  cycle(0);
  add(ev::AllocationGroup{.left_blocks = 1});
  cycle(256);
  cycle(512);
  EXPECT_FALSE(holds());
}

class Life004Additions : public Life004 {
 protected:
  Life004Additions() { loaded(); }
  void adds(NTSTATUS status = STATUS_SUCCESS) {
    add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::AddDevice),
                        .status = static_cast<std::uint32_t>(status)});
  }
  void removes() { add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::RemoveDevice)}); }
};

TEST_F(Life004Additions, ALaterOneSucceeds) {
  adds();
  removes();
  adds();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-004"), 1u);
}

TEST_F(Life004Additions, ALaterOneIsRefused) {
  adds();
  removes();
  adds(STATUS_DEVICE_BUSY);
  EXPECT_FALSE(holds());
  EXPECT_EQ(named_by("LIFE-004"), std::vector<std::uint32_t>{1});
}

TEST_F(Life004Additions, WhatWasRefusedFromTheStartMayBeAgain) {
  adds(STATUS_NOT_SUPPORTED);
  adds(STATUS_NOT_SUPPORTED);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-004"), 0u);
}

TEST_F(Life004Additions, TheSecondGpuOfALinkIsNoLaterLife) {
  adds();
  adds(STATUS_NOT_SUPPORTED);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-004"), 0u);
}

TEST_F(Life004Additions, MemoryMayRunOut) {
  adds();
  removes();
  adds(STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
}

TEST_F(Life004Additions, WhereCallsAreMadeToFailItMay) {
  adds();
  removes();
  op(OpKind::FailPool);
  adds(STATUS_UNSUCCESSFUL);
  EXPECT_TRUE(holds());
}

TEST_F(Life004Additions, BehindHardwareThatCameToNoEndItMay) {
  adds();
  add(ev::Stuck{.packets = 1});
  removes();
  adds(STATUS_UNSUCCESSFUL);
  EXPECT_TRUE(holds());
}

TEST_F(Life004Additions, AnotherLoadMayFindAnotherDevice) {
  adds();
  removes();
  loaded();
  adds(STATUS_NOT_SUPPORTED);
  EXPECT_TRUE(holds());
}

TEST_F(Life004, AnotherLoadBeginsAnew) {
  loaded();
  cycle(0);
  loaded();
  cycle(256);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::life_004
