// What NotifyResidency leaves as it was.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::vpage_008 {
namespace {

class Vpage008 : public TraceTest {
 protected:
  void notified(std::uint32_t changed, std::uint32_t status = 0) {
    add(ev::ResidencyNotified{.status = status, .changed = changed});
  }
  bool holds() { return TraceTest::holds("VPAGE-008"); }
};

TEST_F(Vpage008, NothingChanges) {
  notified(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-008"), 1u);
}

TEST_F(Vpage008, TheCallWritesTheAllocation) {
  notified(8);
  EXPECT_FALSE(holds());
}

class Vpage008Contents : public Vpage008 {
 protected:
  void brings_in() {
    add(ev::PagingBuilt{.operation = DXGK_OPERATION_VIRTUAL_TRANSFER, .allocation = 3});
  }
  void arrives(std::uint32_t packet = 7) {
    add(ev::PagingDone{
        .operation = DXGK_OPERATION_VIRTUAL_TRANSFER, .allocation = 3, .packet = packet});
  }
  void notified(std::uint32_t resident, std::uint32_t changed) {
    add(ev::ResidencyNotified{.allocation = 3, .resident = resident, .changed = changed});
  }
};

TEST_F(Vpage008Contents, AreToArriveLater) {
  brings_in();
  notified(1, 8);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage008Contents, ArriveWhileTheNoticeWaitsForABuffer) {
  brings_in();
  arrives();
  notified(1, 8192);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-008"), 0u);
}

TEST_F(Vpage008Contents, ThatTheCpuHasBroughtInAreThere) {
  brings_in();
  arrives(kNone);
  notified(1, 8);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage008Contents, OfBeforeAreNoReasonWhenItLeaves) {
  brings_in();
  arrives();
  notified(1, 0);
  notified(0, 8);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage008Contents, ThatAreBroughtInAgainHaveNotArrived) {
  brings_in();
  arrives();
  brings_in();
  notified(1, 8);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage008, TheOperationChangesMemory) {
  notified(0);
  add(ev::MemoryDiffers{.operation = DXGK_OPERATION_NOTIFY_RESIDENCY});
  EXPECT_FALSE(holds());
}

TEST_F(Vpage008, TheCallSucceeds) {
  notified(0, 0xC000000D);
  EXPECT_FALSE(holds());
}

TEST_F(Vpage008, WhatNobodyCouldLookAtShowsNothing) {
  notified(kNone);
  add(ev::MemoryDiffers{.operation = DXGK_OPERATION_TRANSFER});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("VPAGE-008"), 0u);
}

}  // namespace
}  // namespace wddm::vpage_008
