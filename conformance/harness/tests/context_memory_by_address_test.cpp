// A context allocation that its context finds by a GPU virtual address alone moves, and is evicted,
// without a word to its driver.
#include <string>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

// The built-in driver's are all AccessedPhysically. This one makes another for a context of user
// mode, with an address and no such flag, of which the driver below knows nothing.
class MapsMemoryOfItsOwn final : public Interposer {
 public:
  static inline UINT segments = 3;  // local and aperture, of which the former is taken

  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    dxgkrnl_ = *table;
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    DXGKARGCB_CREATECONTEXTALLOCATION request = {};
    request.hAdapter = dxgkrnl_.DeviceHandle;
    request.hContext = create->hContext;
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (!NT_SUCCESS(status) || create->Flags.SystemContext || made_ != nullptr) return status;
    request.hDriverAllocation = this;
    request.ContextAllocationFlags.MapGpuVirtualAddress = 1;
    request.Size = PAGE_SIZE;
    request.SupportedSegmentSet = segments;
    EXPECT_EQ(dxgkrnl_.DxgkCbCreateContextAllocation(&request), STATUS_SUCCESS);
    DXGKARGCB_MAPCONTEXTALLOCATION map = {};
    map.hAllocation = made_ = request.hAllocation;
    map.SizeInPages = 1;
    map.Protection.Write = 1;
    EXPECT_NE(dxgkrnl_.DxgkCbMapContextAllocation(dxgkrnl_.DeviceHandle, &map), 0u);
    context_ = create->hContext;
    return status;
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    if (context == context_ && made_ != nullptr) {
      dxgkrnl_.DxgkCbDestroyContextAllocation(dxgkrnl_.DeviceHandle, made_);
      made_ = nullptr;
    }
    return Interposer::DestroyContext(context);
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const HANDLE own = this;
    if (build->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE &&
        build->InitContextResource.hAllocation == own) {
      return STATUS_SUCCESS;
    }
    if (build->Operation == DXGK_OPERATION_NOTIFY_RESIDENCY) {
      EXPECT_NE(build->NotifyResidency.hAllocation, own);
    }
    const bool takes_it = build->Operation == DXGK_OPERATION_VIRTUAL_TRANSFER &&
                          build->TransferVirtual.hAllocation == own;
    if (takes_it) build->TransferVirtual.hAllocation = nullptr;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    if (takes_it) build->TransferVirtual.hAllocation = own;
    return status;
  }

 private:
  DXGKRNL_INTERFACE dxgkrnl_ = {};
  HANDLE context_ = nullptr, made_ = nullptr;
};

class ContextMemoryByAddress : public ReplayTest {
 protected:
  void play(const std::string& ops) {
    const Fault fault = fault_of<MapsMemoryOfItsOwn>();
    const std::string text = "ops:\n- configure: {setting: Addressing, value: 1}\n";
    for (const Failure& failure : run(scenario_of(text + ops), &fault).failures) {
      if (failure.id == "CTX-007") continue;  // the driver that knows nothing of it writes nothing
      ADD_FAILURE() << failure.id << ": expected " << failure.expected << "; seen " << failure.seen;
    }
    EXPECT_TRUE(seen<ev::OpSkipped>().empty());
  }
};

TEST_F(ContextMemoryByAddress, MovesAndTakesItsContentsAlong) {
  play(R"(
- create_context: {context: 1}
- render: {context: 1}
- idle
- move_context: {context: 1}
- render: {context: 1}
- idle
)");
  const auto moves = seen<ev::ContextAllocationMoved>();
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].context, 1u);
  EXPECT_NE(moves[0].from, moves[0].to);
  EXPECT_EQ(moves[0].unlike, 0u);
}

// What it holds there the device itself says, whose memory_read is asked.
TEST_F(ContextMemoryByAddress, MovesWhereNoBarShowsIt) {
  MapsMemoryOfItsOwn::segments = 4;
  play(R"(
- configure: {setting: HighSegment, value: 1}
- create_context: {context: 1}
- render: {context: 1}
- idle
- move_context: {context: 1}
- idle
)");
  MapsMemoryOfItsOwn::segments = 3;
  const auto moves = seen<ev::ContextAllocationMoved>();
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].segment, 3u);
  EXPECT_EQ(moves[0].unlike, 0u);
}

TEST_F(ContextMemoryByAddress, LeavesBeforePowerGoesAndIsBackForItsPacket) {
  play(R"(
- create_context: {context: 1}
- render: {context: 1}
- idle
- power_cycle
- render: {context: 1}
- idle
)");
  const auto moves = seen<ev::ContextAllocationMoved>();
  ASSERT_EQ(moves.size(), 2u);
  EXPECT_EQ(moves[0].evicted, 1u);
  EXPECT_EQ(moves[1].evicted, 0u);
  EXPECT_EQ(moves[0].unlike + moves[1].unlike, 0u);
}

}  // namespace
}  // namespace wddm::harness
