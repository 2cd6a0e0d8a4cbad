// Drivers that say, or do not, that virtual machines can have their device.
#include <cstddef>

#include "conformance/rules/tests/compute_test.h"

namespace wddm::mcdm_017 {
namespace {

constexpr auto kQueryInterface =
    static_cast<std::uint32_t>(offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiQueryInterface));
constexpr auto kSetMachineData =
    static_cast<std::uint32_t>(offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiSetVirtualMachineData));

class Mcdm017 : public ComputeTest {
 protected:
  Mcdm017() {
    caps_.MemoryManagementCaps.VirtualAddressingSupported = 1;
    caps_.MemoryManagementCaps.GpuMmuSupported = 1;
  }
  void says(bool supported) {
    caps_.MemoryManagementCaps.ParavirtualizationSupported = supported;
    answers();
  }
  bool holds() { return TraceTest::holds("MCDM-017"); }
  std::uint32_t reached() { return times_reached("MCDM-017"); }
};

TEST_F(Mcdm017, WhoPartitionsNothingSaysSo) {
  fills({kSetMachineData});
  says(true);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Mcdm017, WhoPartitionsNothingDoesNotSaySo) {
  fills({kSetMachineData});
  says(false);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm017, WithInterfacesItMayBeEither) {
  fills({kSetMachineData, kQueryInterface});
  says(false);
  says(true);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Mcdm017, WhoLacksAFunctionIsJudgedElsewhere) {
  fills({});
  says(false);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Mcdm017, WithoutAGpuMmuThePagesDiffer) {
  caps_.MemoryManagementCaps.GpuMmuSupported = 0;
  caps_.MemoryManagementCaps.IoMmuSupported = 1;
  fills({kSetMachineData});
  says(false);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Mcdm017, AnAnswerOverOtherBytesIsNone) {
  fills({kSetMachineData});
  answers(0xCC);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::mcdm_017
