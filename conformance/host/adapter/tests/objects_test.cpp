// Devices, contexts and allocations: what the driver is asked, and that a refusal leaves a slot
// empty.
#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

class ObjectsTest : public HostTest {
 protected:
  /// A running adapter with device 0, and only what follows in driver.calls.
  template <class Body>
  void with_device(Body body) {
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      driver.calls.clear();
      body(world.objects);
    });
  }
  static bool allocate(Objects& objects, AllocationId id, DeviceId device = {0}) {
    return objects.create_allocation(id, device, 1, Place::Any, false);
  }
};

TEST_F(ObjectsTest, DeviceTakesTheDriversHandle) {
  with_device([&](Objects& objects) {
    EXPECT_TRUE(objects.create_device({7}));
    EXPECT_TRUE(objects.device({7}).live);
    EXPECT_EQ(objects.device({7}).driver, reinterpret_cast<HANDLE>(FakeDriver::kDevice));
    objects.destroy_device({7});
    EXPECT_FALSE(objects.device({7}).live);
  });
  EXPECT_EQ(driver.calls, (Calls{"CreateDevice", "DestroyDevice"}));
}

TEST_F(ObjectsTest, SlotInUseIsNoCall) {
  with_device([&](Objects& objects) {
    ASSERT_TRUE(objects.contexts().create({0}, {0}, {}));
    ASSERT_TRUE(allocate(objects, {0}));
    driver.calls.clear();
    EXPECT_FALSE(objects.create_device({0}));
    EXPECT_FALSE(objects.contexts().create({0}, {0}, {}));
    EXPECT_FALSE(allocate(objects, {0}));
  });
  EXPECT_EQ(driver.calls, Calls{});
}

TEST_F(ObjectsTest, WithoutADeviceThereIsNoCall) {
  with_device([&](Objects& objects) {
    EXPECT_FALSE(objects.contexts().create({0}, {1}, {}));
    EXPECT_FALSE(allocate(objects, {0}, {1}));
  });
  EXPECT_EQ(driver.calls, Calls{});
}

TEST_F(ObjectsTest, ContextOnANodeThatIsNotThereIsNoCall) {
  with_device([&](Objects& objects) {
    EXPECT_FALSE(objects.contexts().create({0}, {0}, {.node = NodeId{1}}));
  });
  EXPECT_EQ(driver.calls, Calls{});
}

TEST_F(ObjectsTest, WithoutMultiEngineAwareItIsTheDeviceThatStandsForAContext) {
  driver.caps.SchedulingCaps.MultiEngineAware = 0;
  driver.caps.GpuEngineTopology.NbAsymetricProcessingNodes = 3;
  driver.device_info.DmaBufferSize = 512;
  with_device([&](Objects& objects) {
    EXPECT_FALSE(objects.contexts().create({0}, {0}, {.node = NodeId{1}}))
        << "there is node 0 alone";
    ASSERT_TRUE(objects.contexts().create({0}, {0}, {}));
    EXPECT_EQ(objects.context({0}).driver, reinterpret_cast<HANDLE>(FakeDriver::kDevice));
    EXPECT_EQ(objects.context({0}).info.DmaBufferSize, 512u);
    objects.contexts().destroy({0});
  });
  EXPECT_EQ(driver.calls, Calls{}) << "nobody asks the driver for one";
}

TEST_F(ObjectsTest, RefusedDeviceAndContextLeaveTheirSlotsEmpty) {
  with_device([&](Objects& objects) {
    driver.answers[DdiId::CreateDevice] = STATUS_NO_MEMORY;
    driver.answers[DdiId::CreateContext] = STATUS_NO_MEMORY;
    EXPECT_FALSE(objects.create_device({1}));
    EXPECT_FALSE(objects.contexts().create({1}, {0}, {}));
    EXPECT_FALSE(objects.device({1}).live);
    EXPECT_FALSE(objects.context({1}).live);
    objects.contexts().destroy({1});
    objects.destroy_device({1});
  });
  EXPECT_EQ(driver.calls, (Calls{"CreateDevice", "CreateContext"}));
  EXPECT_EQ(seen<ev::ContextCreated>().at(0).status, static_cast<std::uint32_t>(STATUS_NO_MEMORY));
}

TEST_F(ObjectsTest, AllocationIsOpenedAndClosedWithTheDriversHandles) {
  with_device([&](Objects& objects) {
    ASSERT_TRUE(allocate(objects, {3}));
    EXPECT_EQ(objects.allocation({3}).driver, reinterpret_cast<HANDLE>(0xa000));
    EXPECT_EQ(objects.allocation({3}).device_specific, reinterpret_cast<HANDLE>(0xb000));
    objects.destroy_allocation({3});
    EXPECT_FALSE(objects.allocation({3}).live);
  });
  EXPECT_EQ(driver.calls,
            (Calls{"GetStandardAllocationDriverData", "GetStandardAllocationDriverData",
                   "CreateAllocation", "OpenAllocation", "CloseAllocation", "DestroyAllocation"}));
  EXPECT_EQ(driver.closed, std::vector<HANDLE>{reinterpret_cast<HANDLE>(0xb000)});
  EXPECT_EQ(driver.destroyed, std::vector<HANDLE>{reinterpret_cast<HANDLE>(0xa000)});
}

TEST_F(ObjectsTest, TwoPagesOfSeveralFollowEachOther) {
  with_device([&](Objects& objects) {
    driver.allocation_bytes = 5 * 4096;
    ASSERT_TRUE(allocate(objects, {3}));
    const auto& frames = objects.allocation({3}).frames;
    ASSERT_EQ(frames.size(), 5u);
    for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
      EXPECT_EQ(frames[i] + 1 == frames[i + 1], i == 1) << i;
    }
  });
}

TEST_F(ObjectsTest, SizesAreThoseOfWholePagesThatTheDriverChose) {
  with_device([&](Objects& objects) {
    driver.allocation_bytes = 4097;
    ASSERT_TRUE(allocate(objects, {3}));
    EXPECT_EQ(objects.allocation({3}).pages, 2u);
    EXPECT_EQ(objects.allocation({3}).frames.size(), 2u);
    EXPECT_EQ(objects.sizes()[3], 8192u);
    EXPECT_EQ(objects.asked_sizes()[3], 4096u) << "user mode has asked for one page";
    objects.destroy_allocation({3});
    EXPECT_EQ(objects.sizes()[3], 0u);
    EXPECT_EQ(objects.asked_sizes()[3], 0u);
  });
  EXPECT_EQ(seen<ev::AllocationCreated>().at(0).size, 4097u);
}

TEST_F(ObjectsTest, DriverThatKnowsNoStagingSurfaceIsAskedForAShadowSurface) {
  with_device([&](Objects& objects) {
    driver.answers[DdiId::GetStandardAllocationDriverData] = STATUS_NOT_IMPLEMENTED;
    EXPECT_FALSE(allocate(objects, {3}));
  });
  EXPECT_EQ(driver.calls,
            (Calls{"GetStandardAllocationDriverData", "GetStandardAllocationDriverData"}));
}

TEST_F(ObjectsTest, RefusedAllocationLeavesTheSlotEmpty) {
  with_device([&](Objects& objects) {
    driver.answers[DdiId::CreateAllocation] = STATUS_NO_MEMORY;
    EXPECT_FALSE(allocate(objects, {3}));
    EXPECT_FALSE(objects.allocation({3}).live);
    EXPECT_EQ(objects.sizes()[3], 0u);
  });
  EXPECT_EQ(driver.calls.back(), "CreateAllocation");
}

TEST_F(ObjectsTest, AllocationThatCannotBeOpenedIsDestroyedAndItsPagesAreFree) {
  with_device([&](Objects& objects) {
    driver.answers[DdiId::OpenAllocation] = STATUS_NO_MEMORY;
    const std::uint64_t free = memory::frames_available();
    EXPECT_FALSE(allocate(objects, {3}));
    EXPECT_FALSE(objects.allocation({3}).live);
    EXPECT_EQ(memory::frames_available(), free);
  });
  // Nothing was opened, so nothing is closed.
  EXPECT_TRUE(driver.closed.empty());
  EXPECT_EQ(driver.destroyed, std::vector<HANDLE>{reinterpret_cast<HANDLE>(0xa000)});
}

TEST_F(ObjectsTest, AllocationsOfNoSizeOrOfTooMuchAreDestroyedAtOnce) {
  with_device([&](Objects& objects) {
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1} << 40}) {
      driver.allocation_bytes = bytes;
      EXPECT_FALSE(allocate(objects, {3}));
      EXPECT_FALSE(objects.allocation({3}).live);
    }
  });
  EXPECT_EQ(driver.destroyed.size(), 2u);
  EXPECT_EQ(std::count(driver.calls.begin(), driver.calls.end(), "OpenAllocation"), 0);
}

TEST_F(ObjectsTest, DeviceGoesAfterWhatIsItsOwn) {
  with_device([&](Objects& objects) {
    ASSERT_TRUE(objects.create_device({1}));
    ASSERT_TRUE(objects.contexts().create({0}, {0}, {}));
    ASSERT_TRUE(objects.contexts().create({1}, {1}, {}));
    ASSERT_TRUE(allocate(objects, {0}, {0}));
    ASSERT_TRUE(allocate(objects, {1}, {1}));
    driver.calls.clear();
    objects.destroy_device({1});
    EXPECT_TRUE(objects.context({0}).live);
    EXPECT_TRUE(objects.allocation({0}).live);
  });
  EXPECT_EQ(driver.calls,
            (Calls{"DestroyContext", "CloseAllocation", "DestroyAllocation", "DestroyDevice"}));
  EXPECT_EQ(driver.destroyed, std::vector<HANDLE>{reinterpret_cast<HANDLE>(0xa001)});
}

TEST_F(ObjectsTest, HandleDataIsTheAllocationsOrItsOpening) {
  with_device([&](Objects& objects) {
    ASSERT_TRUE(allocate(objects, {0}));
    DXGKARGCB_GETHANDLEDATA args{};
    args.hObject = 0x60000040;
    args.Type = DXGK_HANDLE_ALLOCATION;
    EXPECT_EQ(objects.data_of(args), reinterpret_cast<PVOID>(0xa000));
    args.Flags.DeviceSpecific = 1;
    EXPECT_EQ(objects.data_of(args), reinterpret_cast<PVOID>(0xb000));
    args.hObject = 0x60000041;
    EXPECT_EQ(objects.data_of(args), nullptr);
    args.hObject = 0x50000040;
    EXPECT_EQ(objects.data_of(args), nullptr);
    args.hObject = 0x60000080;
    EXPECT_EQ(objects.data_of(args), nullptr) << "there is no such allocation";
  });
}

}  // namespace
}  // namespace wddm::host
