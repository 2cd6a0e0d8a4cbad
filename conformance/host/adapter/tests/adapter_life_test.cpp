// From DriverEntry to Unload: each step in its order, and what a step that fails leaves to undo.
#include <utility>

#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

class AdapterLife : public HostTest {
 protected:
  /// Brings the adapter up, as far as it goes, and takes it down again.
  Adapter::Stage come_and_go() {
    Adapter::Stage reached = Adapter::Stage::Absent;
    on_machine([&](World& world) {
      came_up = world.adapter.bring_up();
      reached = world.adapter.stage();
      world.adapter.tear_down(Adapter::Stage::Absent);
      EXPECT_EQ(world.adapter.stage(), Adapter::Stage::Absent);
    });
    return reached;
  }
  bool came_up = false;
};

TEST_F(AdapterLife, GoesUpAndComesDownInReverseOrder) {
  EXPECT_EQ(come_and_go(), Adapter::Stage::Started);

  EXPECT_TRUE(came_up);
  EXPECT_EQ(driver.calls, (Calls{"DriverEntry", "AddDevice", "StartDevice", "QueryAdapterInfo",
                                 "QueryAdapterInfo", "QueryAdapterInfo", "StopDevice",
                                 "RemoveDevice", "Unload"}));
  EXPECT_EQ(seen<ev::Running>().size(), 1u);
}

TEST_F(AdapterLife, DriverEntryThatFailsLeavesNothingToUndo) {
  driver.answers[DdiId::DriverEntry] = STATUS_UNSUCCESSFUL;

  EXPECT_EQ(come_and_go(), Adapter::Stage::Absent);

  EXPECT_FALSE(came_up);
  EXPECT_EQ(driver.calls, Calls{"DriverEntry"});
}

TEST_F(AdapterLife, VersionOfTheFutureIsRefused) {
  driver.table.Version = DXGKDDI_INTERFACE_VERSION_WDDM3_2 + 1;

  EXPECT_EQ(come_and_go(), Adapter::Stage::Absent);

  const auto returned = seen<ev::EntryReturned>();
  ASSERT_EQ(returned.size(), 1u);
  EXPECT_EQ(returned[0].initialize_status, static_cast<std::uint32_t>(STATUS_REVISION_MISMATCH));
  EXPECT_EQ(returned[0].version, DXGKDDI_INTERFACE_VERSION_WDDM3_2 + 1u);
}

TEST_F(AdapterLife, RefusedInitializationHoldsForOneEntry) {
  on_machine([&](World& world) {
    world.adapter.set_initialize_status(static_cast<std::uint32_t>(STATUS_UNSUCCESSFUL));
    EXPECT_FALSE(world.adapter.bring_up());
    EXPECT_TRUE(world.adapter.bring_up());
  });
}

TEST_F(AdapterLife, AddDeviceThatFailsIsFollowedByUnload) {
  driver.answers[DdiId::AddDevice] = STATUS_UNSUCCESSFUL;

  EXPECT_EQ(come_and_go(), Adapter::Stage::Entered);

  EXPECT_EQ(driver.calls, (Calls{"DriverEntry", "AddDevice", "Unload"}));
}

TEST_F(AdapterLife, StartDeviceThatFailsIsFollowedByRemoveAndUnload) {
  driver.answers[DdiId::StartDevice] = STATUS_UNSUCCESSFUL;

  EXPECT_EQ(come_and_go(), Adapter::Stage::Entered);

  EXPECT_EQ(driver.calls,
            (Calls{"DriverEntry", "AddDevice", "StartDevice", "RemoveDevice", "Unload"}));
  EXPECT_TRUE(seen<ev::Running>().empty());
}

TEST_F(AdapterLife, EntryThatTheDriverLacksIsNotCalled) {
  driver.table.DxgkDdiStartDevice = nullptr;
  driver.table.DxgkDdiUnload = nullptr;

  EXPECT_EQ(come_and_go(), Adapter::Stage::Entered);

  EXPECT_EQ(driver.calls, (Calls{"DriverEntry", "AddDevice", "RemoveDevice"}));
}

TEST_F(AdapterLife, StopKeepsTheDeviceForAnotherStart) {
  on_machine([&](World& world) {
    ASSERT_TRUE(world.adapter.bring_up());
    world.adapter.tear_down(Adapter::Stage::Added);
    EXPECT_FALSE(world.adapter.running());
    EXPECT_FALSE(world.adapter.started());
    EXPECT_TRUE(world.adapter.bring_up());
  });

  const auto running = seen<ev::Running>();
  ASSERT_EQ(running.size(), 2u);
  EXPECT_EQ(running[1].start, 2u);
  EXPECT_EQ(std::count(driver.calls.begin(), driver.calls.end(), "AddDevice"), 1);
}

TEST_F(AdapterLife, HandlesOfEarlierStartsAreKnownAsSuch) {
  on_machine([&](World& world) {
    ASSERT_TRUE(world.adapter.bring_up());
    const HANDLE first = driver.device_handle;
    EXPECT_EQ(world.adapter.judge_handle(first), 0u);
    world.adapter.tear_down(Adapter::Stage::Added);
    ASSERT_TRUE(world.adapter.bring_up());

    EXPECT_EQ(world.adapter.judge_handle(driver.device_handle), 0u);
    EXPECT_EQ(world.adapter.judge_handle(nullptr), 1u);
    EXPECT_EQ(world.adapter.judge_handle(world.adapter.miniport()), 2u);
    EXPECT_EQ(world.adapter.judge_handle(first), 3u);
  });
}

TEST_F(AdapterLife, DeviceThatWasLeftEnabledShowsAfterStop) {
  FakeDevice gpu;
  device = &gpu.table;
  gpu.on_advance = [&](std::uint32_t) {
    gpu.host->raise_message(gpu.host->host, 0);
    return 1u;
  };

  come_and_go();

  const auto after = seen<ev::InterruptsAfterStop>();
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].count, 10u);
}

TEST_F(AdapterLife, ALineThatStaysHighAfterStopIsAnInterrupt) {
  FakeDevice gpu;
  device = &gpu.table;
  bool raised = false;
  gpu.on_advance = [&](std::uint32_t) {
    if (!std::exchange(raised, true)) gpu.host->set_interrupt_line(gpu.host->host, 1);
    return 1u;
  };
  on_machine([&](World& world) {
    EXPECT_TRUE(world.adapter.bring_up());
    world.bus.advance(1);
    world.adapter.tear_down(Adapter::Stage::Absent);
  });

  const auto after = seen<ev::InterruptsAfterStop>();
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].count, 1u);
}

TEST_F(AdapterLife, MappingsLeftAtStopAreCounted) {
  FakeDevice gpu;
  device = &gpu.table;
  on_machine([&](World& world) {
    ASSERT_TRUE(world.adapter.bring_up());
    int place = 0;
    world.adapter.mapped(&place);
    world.adapter.mapped(&place);
    EXPECT_TRUE(world.adapter.unmapped(&place));
    EXPECT_FALSE(world.adapter.unmapped(&world));
    world.adapter.tear_down(Adapter::Stage::Absent);
  });

  const auto balance = seen<ev::MappingBalance>();
  ASSERT_EQ(balance.size(), 1u);
  EXPECT_EQ(balance[0].mapped, 2u);
  EXPECT_EQ(balance[0].unmapped, 1u);
}

class LinkLife : public AdapterLife {
 protected:
  explicit LinkLife() { device = &gpu.table; }
  [[nodiscard]] std::ptrdiff_t times(const char* call) const {
    return std::count(driver.calls.begin(), driver.calls.end(), call);
  }
  FakeDevice gpu;
};

TEST_F(LinkLife, EachAdapterIsAskedAfterItsAddDeviceAndStartedAfterAllOfThem) {
  driver.use_link(2);
  EXPECT_EQ(come_and_go(), Adapter::Stage::Started);
  EXPECT_TRUE(came_up);
  const Calls first(driver.calls.begin(), driver.calls.begin() + 7);
  EXPECT_EQ(first, (Calls{"DriverEntry", "AddDevice", "LinkDevice", "AddDevice", "LinkDevice",
                          "StartDevice", "StartDevice"}));
  const Calls last(driver.calls.end() - 5, driver.calls.end());
  EXPECT_EQ(last, (Calls{"StopDevice", "StopDevice", "RemoveDevice", "RemoveDevice", "Unload"}));
  EXPECT_EQ(seen<ev::DeviceLinked>().size(), 2u);
}

// The lead is started last.
TEST_F(LinkLife, TheOneThatLeadsIsTheFirstWhenItWasAddedLast) {
  const auto added_as = [](ULONG number) {
    return reinterpret_cast<PVOID>(FakeDriver::kMiniport + number);
  };
  driver.use_link(2);
  driver.lead = 2;
  EXPECT_EQ(come_and_go(), Adapter::Stage::Started);
  EXPECT_EQ(driver.started, (std::vector<PVOID>{added_as(0), added_as(1)}));
}

TEST_F(LinkLife, TheOneThatLeadsIsTheFirstWhenItWasAddedFirst) {
  driver.use_link(2);
  driver.lead = 1;
  EXPECT_EQ(come_and_go(), Adapter::Stage::Started);
  EXPECT_EQ(driver.started.back(), reinterpret_cast<PVOID>(FakeDriver::kMiniport));
}

TEST_F(LinkLife, OneThatIsNoLinkIsAloneAsBefore) {
  driver.use_link(1);
  EXPECT_EQ(come_and_go(), Adapter::Stage::Started);
  EXPECT_EQ(times("AddDevice"), 1);
  EXPECT_TRUE(seen<ev::PhysicalAdapterReported>().empty());
}

TEST_F(LinkLife, WhereOneDoesNotStartNoneDoes) {
  driver.use_link(2);
  driver.answers[DdiId::StartDevice] = STATUS_UNSUCCESSFUL;
  EXPECT_EQ(come_and_go(), Adapter::Stage::Entered);
  EXPECT_EQ(times("StartDevice"), 1);
  EXPECT_EQ(times("StopDevice"), 0);
  EXPECT_EQ(times("RemoveDevice"), 2);
}

TEST_F(LinkLife, SegmentsAreAskedOfEachWithItsNumber) {
  driver.use_link(2);
  come_and_go();
  const auto reported = seen<ev::SegmentsReported>();
  ASSERT_EQ(reported.size(), 4u);
  EXPECT_EQ(reported[1].physical_adapter, 0u);
  EXPECT_EQ(reported[3].physical_adapter, 1u);
  EXPECT_EQ(seen<ev::PhysicalAdapterReported>().size(), 2u);
}

}  // namespace
}  // namespace wddm::host
