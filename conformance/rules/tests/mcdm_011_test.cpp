// Single capabilities of devices that only compute.
#include "conformance/rules/tests/compute_test.h"

namespace wddm::mcdm_011 {
namespace {

using Caps = DXGK_DRIVERCAPS;

class Mcdm011 : public ComputeTest {
 protected:
  Mcdm011() {
    caps_.SchedulingCaps.MultiEngineAware = 1;
    caps_.SchedulingCaps.PreemptionAware = 1;
    caps_.SchedulingCaps.LowIrqlPreemptCommand = 1;
    caps_.MemoryManagementCaps.VirtualAddressingSupported = 1;
    caps_.MemoryManagementCaps.GpuMmuSupported = 1;
  }
};

TEST_F(Mcdm011, AsTheGuidelinesHaveIt) {
  answers();
  for (const char* const id : {"MCDM-011", "MCDM-012", "MCDM-013", "MCDM-015", "MCDM-016"}) {
    EXPECT_TRUE(holds(id)) << id;
    EXPECT_EQ(times_reached(id), 1u) << id;
  }
}

TEST_F(Mcdm011, Displays) {
  EXPECT_EQ(failures_with("MCDM-011", [](Caps& caps) { caps.MaxPointerWidth = 64; }), 1u);
  EXPECT_EQ(failures_with("MCDM-011", [](Caps& caps) { caps.FlipCaps.FlipOnVSyncMmIo = 1; }), 1u);
  EXPECT_EQ(
      failures_with("MCDM-011", [](Caps& caps) { caps.MiscCaps.SupportContextlessPresent = 1; }),
      1u);
}

TEST_F(Mcdm011, WhatIsReserved) {
  EXPECT_EQ(failures_with("MCDM-012", [](Caps& caps) { caps.MaxAllocationListSlotId = 1; }), 1u);
  EXPECT_EQ(failures_with("MCDM-012", [](Caps& caps) { caps.MiscCaps.Detachable = 1; }), 1u);
}

TEST_F(Mcdm011, ARangeOfItsOwnIsOfVirtualAddresses) {
  const auto range = [](Caps& caps) { caps.InternalGpuVirtualAddressRangeEnd = 1; };
  EXPECT_EQ(failures_with("MCDM-012", range), 0u);
  caps_.MemoryManagementCaps.VirtualAddressingSupported = 0;
  EXPECT_EQ(failures_with("MCDM-012", range), 1u);
}

TEST_F(Mcdm011, Scheduling) {
  EXPECT_EQ(
      failures_with("MCDM-013", [](Caps& caps) { caps.SchedulingCaps.LowIrqlPreemptCommand = 0; }),
      1u);
  EXPECT_EQ(failures_with("MCDM-013", [](Caps& caps) { caps.SchedulingCaps.NoDmaPatching = 1; }),
            1u);
  EXPECT_EQ(
      failures_with("MCDM-013", [](Caps& caps) { caps.SchedulingCaps.CancelCommandAware = 1; }),
      0u);
}

TEST_F(Mcdm011, Memory) {
  EXPECT_EQ(
      failures_with("MCDM-015", [](Caps& caps) { caps.MemoryManagementCaps.OutOfOrderLock = 1; }),
      1u);
  EXPECT_EQ(failures_with("MCDM-015",
                          [](Caps& caps) { caps.MemoryManagementCaps.CrossAdapterResource = 1; }),
            0u);
}

TEST_F(Mcdm011, Addresses) {
  EXPECT_EQ(
      failures_with("MCDM-016", [](Caps& caps) { caps.MemoryManagementCaps.GpuMmuSupported = 0; }),
      1u);
  EXPECT_EQ(
      failures_with("MCDM-016",
                    [](Caps& caps) { caps.MemoryManagementCaps.VirtualAddressingSupported = 0; }),
      1u);
  // A prototype.
  EXPECT_EQ(failures_with("MCDM-016",
                          [](Caps& caps) {
                            caps.MemoryManagementCaps.GpuMmuSupported = 0;
                            caps.MemoryManagementCaps.VirtualAddressingSupported = 0;
                          }),
            0u);
}

}  // namespace
}  // namespace wddm::mcdm_011
