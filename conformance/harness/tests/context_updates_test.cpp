// DxgkCbUpdateContextAllocation from elsewhere than SetRootPageTable.
#include <map>
#include <utility>
#include <vector>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

// Makes one more context allocation for each context of user mode, and updates it at once: what the
// driver below writes for its own, into a page that it knows nothing of.
class UpdatesMemoryOfItsOwn : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    dxgkrnl_ = *table;
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const HANDLE named = create->hContext;
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (!NT_SUCCESS(status) || create->Flags.SystemContext) return status;
    DXGKARGCB_CREATECONTEXTALLOCATION request = {};
    request.hAdapter = dxgkrnl_.DeviceHandle;
    request.hContext = named;
    request.hDriverAllocation = this;
    request.Size = PAGE_SIZE;
    request.SupportedSegmentSet = 1;
    EXPECT_EQ(dxgkrnl_.DxgkCbCreateContextAllocation(&request), STATUS_SUCCESS);
    made_[create->hContext] = request.hAllocation;
    made(request.hAllocation);
    return status;
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    if (const auto found = made_.find(context); found != made_.end()) {
      dxgkrnl_.DxgkCbDestroyContextAllocation(dxgkrnl_.DeviceHandle, found->second);
      made_.erase(found);
    }
    return Interposer::DestroyContext(context);
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool own = build->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE &&
                     build->InitContextResource.hAllocation == HANDLE{this};
    return own ? STATUS_SUCCESS : Interposer::BuildPagingBuffer(adapter, build);
  }

 protected:
  virtual void made(HANDLE allocation) { EXPECT_EQ(update(allocation), STATUS_SUCCESS); }
  [[nodiscard]] NTSTATUS update(HANDLE allocation) {
    UINT64 data[3] = {};  // reference_kmd::ImageUpdate
    DXGKARGCB_UPDATECONTEXTALLOCATION request = {};
    request.hAllocation = allocation;
    request.pPrivateDriverData = data;
    request.PrivateDriverDataSize = sizeof data;
    return dxgkrnl_.DxgkCbUpdateContextAllocation(dxgkrnl_.DeviceHandle, &request);
  }

 private:
  DXGKRNL_INTERFACE dxgkrnl_ = {};
  std::map<HANDLE, HANDLE> made_;  // by the driver's context
};

// A driver that asks in the middle of paging, which its update would be behind, and is refused; and
// then where it may.
struct UpdatesInPaging final : UpdatesMemoryOfItsOwn {
  HANDLE last = nullptr;

  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_VIRTUAL_FILL && last != nullptr) {
      EXPECT_EQ(update(last), STATUS_NOT_SUPPORTED);
    }
    return UpdatesMemoryOfItsOwn::BuildPagingBuffer(adapter, build);
  }
  void made(HANDLE allocation) override {
    const bool is_first = std::exchange(last, allocation) == nullptr;
    EXPECT_EQ(is_first ? STATUS_SUCCESS : update(allocation), STATUS_SUCCESS);
  }
};

class ContextUpdates : public ReplayTest {
 protected:
  template <class Kind>
  const Trace& play(const char* ops) {
    const Fault fault = fault_of<Kind>();
    const Judged& judged =
        run(with_settings(scenario_of(ops), settings_of(Configured::ContextAllocations)), &fault);
    EXPECT_TRUE(judged.failures.empty()) << judged.failures.front().id;
    EXPECT_TRUE(judged.harness.empty());
    return replayer_.trace();
  }
  // Outside of SetRootPageTable.
  [[nodiscard]] static std::vector<ev::ContextAllocationUpdated> updates_of(const Trace& trace) {
    std::vector<ev::ContextAllocationUpdated> updates;
    for (const std::uint32_t index : trace.of<ev::ContextAllocationUpdated>()) {
      const auto updated = trace.at<ev::ContextAllocationUpdated>(index);
      if (updated.setting == kNone) updates.push_back(updated);
    }
    return updates;
  }
};

TEST_F(ContextUpdates, VPAGE009_OneOfAContextInTheMakingIsCarriedOut) {
  const Trace& trace = play<UpdatesMemoryOfItsOwn>(R"(
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)");
  const auto updates = updates_of(trace);
  ASSERT_EQ(updates.size(), 1u);
  bool initialized = false, updated = false;
  for (const std::uint32_t index : trace.of<ev::ContextAllocationWritten>()) {
    const auto written = trace.at<ev::ContextAllocationWritten>(index);
    if (written.number != updates.front().number) continue;
    if (written.operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION) {
      EXPECT_TRUE(initialized);
      EXPECT_NE(written.changed, 0u);
      updated = true;
    }
    initialized |= written.operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE;
  }
  EXPECT_TRUE(updated);
}

TEST_F(ContextUpdates, VPAGE009_OneBehindTheRootOfAnotherContextTakesNothingFromItsUpdate) {
  const Trace& trace = play<UpdatesMemoryOfItsOwn>(R"(
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
- idle
)");
  EXPECT_EQ(updates_of(trace).size(), 2u);
  for (const std::uint32_t index : trace.of<ev::ContextAllocationUpdated>()) {
    EXPECT_EQ(trace.at<ev::ContextAllocationUpdated>(index).status, 0u);
  }
}

TEST_F(ContextUpdates, VPAGE009_OneBehindWorkThatLastsIsCarriedOut) {
  const Trace& trace = play<UpdatesMemoryOfItsOwn>(R"(
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 1000000}
- create_context: {context: 1, device: 1}
- idle
)");
  EXPECT_EQ(updates_of(trace).size(), 2u);
}

TEST_F(ContextUpdates, VPAGE009_OneThatNothingCouldCarryOutIsRefusedAndTheNextIsNot) {
  const Trace& trace = play<UpdatesInPaging>(R"(
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- idle
- fill_memory: {allocation: 1, pattern: 0x01020304}
- create_context: {context: 2}
- idle
)");
  const auto updates = updates_of(trace);
  ASSERT_FALSE(updates.empty());
  EXPECT_EQ(static_cast<NTSTATUS>(updates.front().status), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(updates.back().status, 0u);
}

}  // namespace
}  // namespace wddm::harness
