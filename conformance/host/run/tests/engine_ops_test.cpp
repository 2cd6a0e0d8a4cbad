// Ops on engines: GPU time, preemption, questions, and DPCs that wait.
#include "conformance/host/tests/play_fixture.h"

namespace wddm::host {
namespace {

class EngineOps : public PlayTest {
 protected:
  /// The driver's QueryCurrentFence says this.
  struct Fences : FakeDriver {
    NTSTATUS QueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* query) override {
      query->CurrentFence = 40 + query->NodeOrdinal;
      return FakeDriver::QueryCurrentFence(adapter, query);
    }
  };
  FakeDevice gpu;
};

TEST_F(EngineOps, FenceIsAskedOfTheNode) {
  Fences fences;
  fences.caps.GpuEngineTopology.NbAsymetricProcessingNodes = 2;
  session().wire = &fences;
  play({op(OpKind::QueryFence, 1)});
  const auto queried = seen<ev::FenceQueried>();
  ASSERT_EQ(queried.size(), 1u);
  EXPECT_EQ(queried[0].node, 1u);
  EXPECT_EQ(queried[0].fence, 41u);
}

TEST_F(EngineOps, FenceOfADriverThatCannotTellIsNotAsked) {
  driver.table.DxgkDdiQueryCurrentFence = nullptr;
  play({op(OpKind::QueryFence, 0)});
  EXPECT_EQ(skipped(),
            Calls{std::string("query_fence: ") + ddi_info(DdiId::QueryCurrentFence).absence});
}

TEST_F(EngineOps, AdvanceGivesTheGpuItsUnitsOneByOne) {
  device = &gpu.table;
  gpu.on_advance = [](std::uint32_t units) { return units; };
  play({op(OpKind::Advance, 0, 0, 0, 3)});
  const auto advanced = seen<ev::GpuAdvanced>();
  ASSERT_EQ(advanced.size(), 3u);
  EXPECT_EQ(advanced[2].units, 1u);
  EXPECT_EQ(advanced[2].used, 1u);
}

TEST_F(EngineOps, AdvanceEndsWhereTheGpuHasNothingToDo) {
  device = &gpu.table;
  play({op(OpKind::Advance, 0, 0, 0, 3)});
  EXPECT_EQ(seen<ev::GpuAdvanced>().size(), 1u);
}

TEST_F(EngineOps, PreemptAsksTheDriverOnce) {
  play({op(OpKind::Preempt, 0)});
  EXPECT_EQ(times("PreemptCommand"), 1);
}

TEST_F(EngineOps, HeldDpcsRunWhenTheyAreLetGo) {
  device = &gpu.table;
  gpu.on_advance = [this, raised = false](std::uint32_t) mutable {
    if (!std::exchange(raised, true)) gpu.host->raise_message(gpu.host->host, 0);
    return 0;
  };
  struct Queues : FakeDriver {
    BOOLEAN InterruptRoutine(const PVOID context, ULONG message) override {
      FakeDriver::InterruptRoutine(context, message);
      callbacks.DxgkCbQueueDpc(device_handle);
      return TRUE;
    }
  } queues;
  session().wire = &queues;
  play({op(OpKind::HoldDpcs, 1), op(OpKind::Advance, 0, 0, 0, 1), op(OpKind::HoldDpcs, 0)});
  EXPECT_EQ(ops_of<ev::IsrEntered>(), std::vector<std::uint16_t>{1});
  EXPECT_EQ(ops_of<ev::DpcEntered>(), std::vector<std::uint16_t>{2});
}

// At the second point of each call; what the first interrupt's routine calls are its points.
TEST_F(EngineOps, TheGpuAdvancesInsideOfCallsWhereItIsAsked) {
  device = &gpu.table;
  std::vector<std::uint32_t> units;
  gpu.on_advance = [&](std::uint32_t given) {
    units.push_back(given);
    if (units.size() == 1) gpu.host->raise_message(gpu.host->host, 0);
    return 0;
  };
  struct Queues : FakeDriver {
    BOOLEAN InterruptRoutine(const PVOID context, ULONG message) override {
      FakeDriver::InterruptRoutine(context, message);
      for (int i = 0; i < 3; ++i) callbacks.DxgkCbQueueDpc(device_handle);
      return TRUE;
    }
  } queues;
  session().wire = &queues;
  Op inside = op(OpKind::AdvanceInside, 0, 0, 0, 2);
  inside.y = 7;
  play({inside, op(OpKind::Advance, 0, 0, 0, 1)});
  ASSERT_GE(units.size(), 2u);
  EXPECT_EQ(units[0], 1u);
  EXPECT_EQ(units[1], 7u);
}

TEST_F(EngineOps, EachNodeHasAContextInItsTurn) {
  driver.caps.GpuEngineTopology.NbAsymetricProcessingNodes = 3;
  play({op(OpKind::EachNode)});
  std::vector<std::uint32_t> nodes;
  for (const ev::ContextCreated& created : seen<ev::ContextCreated>()) {
    nodes.push_back(created.node);
  }
  EXPECT_EQ(nodes, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(times("DestroyContext"), 3);
  EXPECT_EQ(skipped(), Calls{});
}

TEST_F(EngineOps, WorkThatIsLeftHasDevicesOfItsOwn) {
  driver.caps.GpuEngineTopology.NbAsymetricProcessingNodes = 2;
  play({op(OpKind::EachNode, 0, 1), op(OpKind::CreateDevice, 254)});
  EXPECT_EQ(times("CreateDevice"), 3) << "device 0, and one for each node";
  EXPECT_EQ(skipped(), Calls{"create_device: the slot is in use"});
}

TEST_F(EngineOps, TheGpuStandsWhileTimePasses) {
  device = &gpu.table;
  play({op(OpKind::Start), op(OpKind::Stall, 0, 0, 0, 50)});
  ASSERT_EQ(seen<ev::GpuStood>().size(), 1u);
  EXPECT_EQ(seen<ev::GpuStood>()[0].milliseconds, 50u);
}

}  // namespace
}  // namespace wddm::host
