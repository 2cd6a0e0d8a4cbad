// Ops on devices, contexts and allocations: what is missing is said before the driver is asked.
#include "conformance/host/tests/play_fixture.h"

namespace wddm::host {
namespace {

class ObjectsOps : public PlayTest {
 protected:
  static std::string absent(const char* op, DdiId ddi) {
    return std::string(op) + ": " + ddi_info(ddi).absence;
  }
};

TEST_F(ObjectsOps, DeviceWithoutCreateDevice) {
  driver.table.DxgkDdiCreateDevice = nullptr;
  play({op(OpKind::CreateDevice, 1)});
  EXPECT_EQ(skipped(), Calls{absent("create_device", DdiId::CreateDevice)});
}

TEST_F(ObjectsOps, DeviceThatTheDriverRefuses) {
  driver.answers[DdiId::CreateDevice] = STATUS_UNSUCCESSFUL;
  play({op(OpKind::CreateDevice, 1)});
  ASSERT_FALSE(skipped().empty());
  EXPECT_EQ(skipped().back(), "create_device: the driver refused");
}

// The driver is not asked, and not said to have refused.
TEST_F(ObjectsOps, DeviceOfASecondProcessWithoutAnMmu) {
  driver.caps.MiscCaps.ComputeOnly = 1;
  driver.caps.MaxAllocationListSlotId = 0;
  driver.caps.HighestAcceptableAddress.QuadPart = -1;  // else it would not start
  play({op(OpKind::CreateDevice, 1, 1), op(OpKind::CreateDevice, 2)});
  EXPECT_EQ(skipped(), Calls{"create_device: without an MMU one process at a time has devices, and "
                             "another one has them"});
  EXPECT_EQ(times("CreateDevice"), 2) << "devices 0 and 2";
}

TEST_F(ObjectsOps, ContextWithoutCreateContext) {
  driver.table.DxgkDdiCreateContext = nullptr;
  play({op(OpKind::CreateContext, 0)});
  EXPECT_EQ(skipped(), Calls{absent("create_context", DdiId::CreateContext)});
}

TEST_F(ObjectsOps, TestContextOfADriverThatHasNone) {
  play({op(OpKind::CreateTestContext, 0)});
  EXPECT_EQ(skipped(), Calls{"create_test_context: contexts have no virtual addresses"});
  EXPECT_EQ(times("QueryInterface"), 0);
}

TEST_F(ObjectsOps, AllocationWithoutADeviceToOpenItOn) {
  driver.table.DxgkDdiCreateDevice = nullptr;
  play({op(OpKind::CreateAllocation, 0, 0, 0, 1)});
  EXPECT_EQ(skipped(), Calls{absent("create_allocation", DdiId::CreateDevice)});
}

TEST_F(ObjectsOps, AllocationWithoutCreateAllocation) {
  driver.table.DxgkDdiCreateAllocation = nullptr;
  play({op(OpKind::CreateAllocation, 0, 0, 0, 1)});
  EXPECT_EQ(skipped(), Calls{absent("create_allocation", DdiId::CreateAllocation)});
}

TEST_F(ObjectsOps, AllocationThatCouldNotBeOpenedIsNotCreated) {
  driver.table.DxgkDdiOpenAllocation = nullptr;
  play({op(OpKind::CreateAllocation, 0, 0, 0, 1)});
  EXPECT_EQ(skipped(), Calls{absent("create_allocation", DdiId::OpenAllocation)});
  EXPECT_EQ(times("CreateAllocation"), 0);
}

TEST_F(ObjectsOps, AllocationWithoutPrivateDataForIt) {
  driver.table.DxgkDdiGetStandardAllocationDriverData = nullptr;
  play({op(OpKind::CreateAllocation, 0, 0, 0, 1)});
  EXPECT_EQ(skipped(), Calls{absent("create_allocation", DdiId::GetStandardAllocationDriverData)});
}

class ClientsData : public ObjectsOps {
 protected:
  ClientsData() {
    user_mode.size = sizeof(user_mode);
    user_mode.version = WDDM_CLIENT_VERSION;
    user_mode.create = []() -> void* { return nullptr; };
    user_mode.destroy = [](void*) {};
    user_mode.allocation_data = [](void*, const WddmAllocationRequest*, void* buffer,
                                   std::uint32_t) {
      if (buffer != nullptr) std::memcpy(buffer, "allocate", 8);
      return 8;
    };
    user_mode.build = [](void*, const WddmBuildRequest*, WddmBuildResult*) { return -1; };
    client = &user_mode;
  }
  WddmClient user_mode{};
};

TEST_F(ClientsData, ResourcesHaveNoneWithoutAFunctionForIt) {
  play({op(OpKind::CreateAllocation, 0, 0, 0, 1)});
  ASSERT_FALSE(driver.resource_data.empty());
  EXPECT_TRUE(driver.resource_data.back().empty());
  EXPECT_EQ(driver.allocation_data.back().size(), 8u);
}

TEST_F(ClientsData, ResourcesHaveTheirOwn) {
  user_mode.resource_data = [](void*, const WddmAllocationRequest*, void* buffer, std::uint32_t) {
    if (buffer != nullptr) std::memcpy(buffer, "both", 4);
    return 4;
  };
  play({op(OpKind::CreateAllocation, 0, 0, 0, 1)});
  ASSERT_FALSE(driver.resource_data.empty());
  EXPECT_EQ(driver.resource_data.back(), (std::vector<std::uint8_t>{'b', 'o', 't', 'h'}));
  EXPECT_EQ(driver.allocation_data.back().size(), 8u);
}

TEST_F(ClientsData, WhatAResourceCannotHaveIsNotCreated) {
  user_mode.resource_data = [](void*, const WddmAllocationRequest*, void*, std::uint32_t) {
    return -1;
  };
  play({op(OpKind::CreateAllocation, 0, 0, 0, 1)});
  EXPECT_EQ(times("CreateAllocation"), 0);
}

TEST_F(ObjectsOps, AllocationThatVidMmRefusesIsDestroyed) {
  driver.segment_set = driver.preferred_segment = 0;
  play({op(OpKind::CreateAllocation, 0, 0, 0, 1)});
  EXPECT_EQ(skipped().size(), 1u);
  EXPECT_EQ(times("DestroyAllocation"), 1);
}

TEST_F(ObjectsOps, NoPrimaryFromWddm2On) {
  play({op(OpKind::CreatePrimary, 0, 0, 0, 1), op(OpKind::EvictLocked, 0)});
  EXPECT_EQ(skipped(), (Calls{"create_primary: the driver is one of WDDM 2",
                              "evict_locked: no such allocation"}));
}

TEST_F(ObjectsOps, NothingIsRenamedFromWddm2On) {
  play({op(OpKind::CreateAllocation, 0, 0, 0, 1), op(OpKind::RenameAllocation, 1, 0)});
  EXPECT_EQ(skipped(), Calls{"rename_allocation: the driver is one of WDDM 2"});
  EXPECT_TRUE(seen<ev::AllocationRenamed>().empty());
}

TEST_F(ObjectsOps, WhatWasNotRenamedHasNoInstanceThatComesAgain) {
  play({op(OpKind::CreateAllocation, 0, 0, 0, 1), op(OpKind::ReuseInstance, 0),
        op(OpKind::DestroyAllocation, 0)});
  EXPECT_EQ(skipped(), Calls{"reuse_instance: it was not renamed"});
}

TEST_F(ObjectsOps, SharedAllocationsAreOpenedOnOtherDevicesAndLiveOnThere) {
  play({op(OpKind::CreateDevice, 1), op(OpKind::CreateDevice, 2), op(OpKind::Share, 1),
        [] {
          Op create = op(OpKind::CreateAllocation, 3, 0, 0, 1);
          create.y = 1;
          return create;
        }(),
        op(OpKind::OpenAllocation, 3, 2), op(OpKind::DestroyDevice, 1),
        op(OpKind::DestroyAllocation, 3)});
  EXPECT_EQ(skipped(), Calls{});
  EXPECT_EQ(times("DestroyAllocation"), 1);
}

TEST_F(ObjectsOps, ADeviceThatHasASharedAllocationOpenGoesOnWithAnotherOpening) {
  play({op(OpKind::CreateDevice, 1), op(OpKind::CreateDevice, 2), op(OpKind::Share, 1),
        [] {
          Op create = op(OpKind::CreateAllocation, 3, 0, 0, 1);
          create.y = 1;
          return create;
        }(),
        op(OpKind::OpenAllocation, 3, 1), op(OpKind::OpenAllocation, 3, 2),
        op(OpKind::OpenAllocation, 3, 2), op(OpKind::DestroyAllocation, 3)});
  EXPECT_EQ(skipped(), Calls{});
  EXPECT_EQ(times("OpenAllocation"), 6);
  EXPECT_EQ(times("CloseAllocation"), 6);
  EXPECT_EQ(times("DestroyAllocation"), 1);
}

// Two more come with it, in the slots behind.
TEST_F(ObjectsOps, AllocationsOfOneResourceComeAndGoInOneCall) {
  play({op(OpKind::Share, 0, 0, 0, 2), op(OpKind::CreateAllocation, 3, 0, 0, 1),
        op(OpKind::DestroyAllocation, 3), op(OpKind::DestroyAllocation, 4)});
  EXPECT_EQ(skipped(), Calls{"destroy_allocation: no such allocation"});
  EXPECT_EQ(seen<ev::AllocationCreated>().size(), 3u);
  EXPECT_EQ(times("CreateAllocation"), 1);
  EXPECT_EQ(times("OpenAllocation"), 1);
  EXPECT_EQ(times("CloseAllocation"), 1);
  EXPECT_EQ(times("DestroyAllocation"), 1);
  EXPECT_EQ(driver.closed.size(), 3u);
  EXPECT_EQ(driver.destroyed.size(), 3u);
}

TEST_F(ObjectsOps, AllocationsOfASharedResourceAreOpenedTogether) {
  play({op(OpKind::CreateDevice, 1), op(OpKind::CreateDevice, 2), op(OpKind::Share, 1, 0, 0, 1),
        [] {
          Op create = op(OpKind::CreateAllocation, 3, 0, 0, 1);
          create.y = 1;
          return create;
        }(),
        op(OpKind::OpenAllocation, 4, 2), op(OpKind::OpenAllocation, 3, 2),
        op(OpKind::DestroyDevice, 1), op(OpKind::DestroyAllocation, 3)});
  EXPECT_EQ(skipped(), Calls{});
  EXPECT_EQ(times("OpenAllocation"), 4) << "one each, and twice more where it is open";
  EXPECT_EQ(seen<ev::AllocationOpened>().size(), 8u);
  EXPECT_EQ(driver.closed.size(), 8u);
  EXPECT_EQ(driver.destroyed.size(), 2u);
}

// The others go with the resource, in a call for each row of slots that is left.
TEST_F(ObjectsOps, AllocationsOfAResourceGoAloneButForTheFirst) {
  play({op(OpKind::Share, 0, 0, 0, 3), op(OpKind::CreateAllocation, 3, 0, 0, 1),
        op(OpKind::DestroyAllocation, 4), op(OpKind::DestroyAllocation, 3)});
  EXPECT_EQ(skipped(), Calls{});
  EXPECT_EQ(times("DestroyAllocation"), 3);
  EXPECT_EQ(driver.destroyed.size(), 4u);
}

TEST_F(ObjectsOps, NothingIsMadeWhereOneOfTheSlotsIsInUse) {
  play({op(OpKind::CreateAllocation, 4, 0, 0, 1), op(OpKind::Share, 0, 0, 0, 1),
        op(OpKind::CreateAllocation, 3, 0, 0, 1), op(OpKind::CreateAllocation, 255, 0, 0, 1)});
  EXPECT_EQ(skipped(), Calls{"create_allocation: the slot is in use"});
  EXPECT_EQ(seen<ev::AllocationCreated>().size(), 2u);
}

TEST_F(ObjectsOps, WhatIsNotSharedIsOpenOnOneDevice) {
  play({op(OpKind::CreateDevice, 1), op(OpKind::CreateAllocation, 3, 0, 0, 1),
        op(OpKind::OpenAllocation, 3, 1)});
  EXPECT_EQ(skipped(), Calls{"open_allocation: the allocation is not shared"});
}

TEST_F(ObjectsOps, DestroyedSlotIsFreeForAnother) {
  play({op(OpKind::CreateAllocation, 3, 0, 0, 1), op(OpKind::DestroyAllocation, 3),
        op(OpKind::CreateAllocation, 3, 0, 0, 1), op(OpKind::CreateContext, 0),
        op(OpKind::DestroyContext, 0), op(OpKind::CreateContext, 0)});
  EXPECT_EQ(skipped(), Calls{});
  EXPECT_EQ(times("CreateAllocation"), 2);
  EXPECT_EQ(times("CreateContext"), 2);
}

}  // namespace
}  // namespace wddm::host
