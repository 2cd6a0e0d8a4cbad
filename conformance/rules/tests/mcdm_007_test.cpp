// Functions by the capabilities that need them.
#include <cstddef>

#include "conformance/rules/tests/compute_test.h"

namespace wddm::mcdm_007 {
namespace {

#define PLACE(name) static_cast<std::uint32_t>(offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdi##name))

const std::vector<std::uint32_t> kVirtual = {PLACE(CreateProcess), PLACE(DestroyProcess),
                                             PLACE(SubmitCommandVirtual),
                                             PLACE(GetRootPageTableSize), PLACE(SetRootPageTable)};

class Mcdm007 : public ComputeTest {
 protected:
  Mcdm007() {
    platform_.compute_only = true;
    caps_.MemoryManagementCaps.VirtualAddressingSupported = 1;
    caps_.MemoryManagementCaps.GpuMmuSupported = 1;
  }
  std::vector<std::uint32_t> with(std::uint32_t place) {
    std::vector<std::uint32_t> filled = kVirtual;
    filled.push_back(place);
    return filled;
  }
  void component(ULONG states) {
    DXGK_POWER_RUNTIME_COMPONENT one{};
    one.StateCount = states;
    std::vector<std::uint8_t> bytes(sizeof(one));
    std::memcpy(bytes.data(), &one, sizeof(one));
    add(ev::PowerComponentAnswered{.component = 0, .count = 1}, bytes);
  }
  bool holds() { return TraceTest::holds("MCDM-007"); }
};

TEST_F(Mcdm007, VirtualAddresses) {
  fills(kVirtual);
  answers();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-007"), 1u);
}

TEST_F(Mcdm007, VirtualAddressesWithoutRoots) {
  fills({PLACE(CreateProcess), PLACE(DestroyProcess), PLACE(SubmitCommandVirtual)});
  answers();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm007, AnIommuAloneHasNoRoots) {
  caps_.MemoryManagementCaps.GpuMmuSupported = 0;
  caps_.MemoryManagementCaps.IoMmuSupported = 1;
  fills({PLACE(CreateProcess), PLACE(DestroyProcess), PLACE(SubmitCommandVirtual)});
  answers();
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm007, PhysicalAddresses) {
  caps_.MemoryManagementCaps.VirtualAddressingSupported = 0;
  caps_.MemoryManagementCaps.GpuMmuSupported = 0;
  fills({PLACE(Render), PLACE(Patch), PLACE(SubmitCommand)});
  answers();
  EXPECT_TRUE(holds());
  fills({PLACE(Render), PLACE(SubmitCommand)});
  answers();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm007, CancelledCommands) {
  caps_.SchedulingCaps.CancelCommandAware = 1;
  fills(with(PLACE(CancelCommand)));
  answers();
  EXPECT_TRUE(holds());
  fills(kVirtual);
  answers();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm007, AnApertureOfTheCpu) {
  platform_.segments.push_back({.flags = {1u << 13}});
  fills(with(PLACE(MapCpuHostAperture)));
  answers();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm007, HardwareSchedulingOfANodeThatThereIs) {
  fills(kVirtual);
  add(ev::NodeAnswered{.ordinal = 1, .flags = 1, .nodes = 1});
  answers();
  EXPECT_TRUE(holds());
  add(ev::NodeAnswered{.ordinal = 0, .flags = 1, .nodes = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm007, ComponentsWithoutFStates) {
  caps_.SupportRuntimePowerManagement = TRUE;
  fills(with(PLACE(PowerRuntimeControlRequest)));
  answers();
  component(1);
  EXPECT_TRUE(holds());
  component(2);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm007, RuntimePowerWithoutControlRequests) {
  caps_.SupportRuntimePowerManagement = TRUE;
  fills(with(PLACE(SetPowerComponentFState)));
  answers();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm007, FunctionsWithoutTheirCapability) {
  fills(with(PLACE(NotifySurpriseRemoval)));
  answers();
  EXPECT_TRUE(holds());
}

// Of a device that draws what it says of power and removal is judged, and nothing else.
TEST_F(Mcdm007, DevicesThatDraw) {
  platform_.compute_only = false;
  caps_.SchedulingCaps.CancelCommandAware = 1;
  caps_.SupportSurpriseRemoval = TRUE;
  fills({PLACE(NotifySurpriseRemoval)});
  answers();
  EXPECT_TRUE(holds());
  caps_.SupportRuntimePowerManagement = TRUE;
  answers();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm007, AppliesToDevicesThatDrawAndManagePower) {
  platform_.has_caps = true;
  platform_.compute_only = false;
  EXPECT_NE(find_rule("MCDM-007")->applies(platform_), nullptr);
  platform_.runtime_power = true;
  EXPECT_EQ(find_rule("MCDM-007")->applies(platform_), nullptr);
}

}  // namespace
}  // namespace wddm::mcdm_007
