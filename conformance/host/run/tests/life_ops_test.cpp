// The life of the adapter by name, and time.
#include "conformance/host/run/op_handlers.h"
#include "conformance/host/tests/play_fixture.h"

namespace wddm::host {
namespace {

class LifeOps : public PlayTest {
 protected:
  /// The calls that take the adapter up and down.
  Calls life() const {
    Calls all;
    for (const std::string& call : driver.calls) {
      if (call == "QueryAdapterInfo" || call == "CreateDevice" || call == "DestroyDevice") continue;
      all.push_back(call);
    }
    return all;
  }
  FakeDevice gpu;
};

TEST_F(LifeOps, StopRemoveAndUnloadGoOneStageFurtherDown) {
  play({op(OpKind::Start), op(OpKind::Stop), op(OpKind::Start), op(OpKind::Remove),
        op(OpKind::Start), op(OpKind::Unload)});
  EXPECT_EQ(life(), (Calls{"DriverEntry", "AddDevice", "StartDevice", "StopDevice", "StartDevice",
                           "StopDevice", "RemoveDevice", "AddDevice", "StartDevice", "StopDevice",
                           "RemoveDevice", "Unload"}));
}

TEST_F(LifeOps, DriverEntryIsToldTheStatusOfDxgkInitialize) {
  play({op(OpKind::InitializeStatus, 0, 0, 0, 0xC0000001), op(OpKind::Start)});
  EXPECT_EQ(life(), Calls{"DriverEntry"});
}

TEST_F(LifeOps, RequeryAsksAgain) {
  play({op(OpKind::Start), op(OpKind::Requery)});
  EXPECT_EQ(times("QueryAdapterInfo"), 35);
}

// Not even the end of what there is.
TEST_F(LifeOps, NothingComesBehindABugCheck) {
  play({op(OpKind::Start), op(OpKind::BugCheck), op(OpKind::Stop), op(OpKind::Start)});
  EXPECT_EQ(times("CollectDbgInfo"), 1);
  EXPECT_EQ(life(), (Calls{"DriverEntry", "AddDevice", "StartDevice", "CollectDbgInfo"}));
}

TEST_F(LifeOps, WhoCollectsNothingGoesOn) {
  driver.table.DxgkDdiCollectDbgInfo = nullptr;
  play({op(OpKind::Start), op(OpKind::BugCheck)});
  EXPECT_EQ(times("Unload"), 1);
}

TEST_F(LifeOps, ADeviceLiesElsewhereWhenItStartsAgain) {
  device = &gpu.table;
  on_machine([&](World& world) {
    ScenarioRun run(world);
    ASSERT_TRUE(run.ensure_running());
    const std::uint64_t before = world.bus.bars()[0].bus_address;
    driver.calls.clear();
    ops::rebalance(run, op(OpKind::Rebalance));
    EXPECT_NE(world.bus.bars()[0].bus_address, before);
    EXPECT_TRUE(world.adapter.running());
  });
  EXPECT_EQ(life(), (Calls{"StopDevice", "StartDevice"}));
}

TEST_F(LifeOps, WithoutADeviceNothingLiesElsewhere) {
  play({op(OpKind::Start), op(OpKind::Rebalance)});
  EXPECT_EQ(times("StartDevice"), 1);
}

TEST_F(LifeOps, TheGpuAdvancesWithTime) {
  device = &gpu.table;
  on_machine([&](World& world) {
    ScenarioRun run(world);
    ASSERT_TRUE(run.ensure_running());
    gpu.advanced = 0;
    const nt::Time before = nt::now();
    ops::wait_time(run, op(OpKind::WaitTime, 0, 0, 0, 3));
    EXPECT_EQ(gpu.advanced, 3u * 16);
    EXPECT_GT(nt::now(), before);
  });
}

}  // namespace
}  // namespace wddm::host
