// Drivers that go wrong in what they keep of a call, or of a life before: a clause says so in its
// own scenario.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

class LifeFaults : public ReplayTest {};

// It keeps the address of DXGKRNL_INTERFACE, and no copy.
struct KeepsTheAddress final : Interposer {
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    table_ = table;
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
  void NotifyDpc(HANDLE) override { Interposer::NotifyDpc(table_->DeviceHandle); }
  PDXGKRNL_INTERFACE table_ = nullptr;
};

TEST_F(LifeFaults, TheInterfaceIsNotSaved) {
  EXPECT_TRUE(fires<KeepsTheAddress>("LIFE-002"));
  EXPECT_TRUE(fires<KeepsTheAddress>("LIFE-002", Configured::GpuVirtual));
}

// When power comes back it believes what it is told of the reason: there is nothing to bring up
// behind a hibernation, or behind anything else.
template <POWER_ACTION kReason>
struct MindsTheReason final : Interposer {
  NTSTATUS SetPowerState(PVOID context, ULONG device, DEVICE_POWER_STATE state,
                         POWER_ACTION action) override {
    if (state == PowerDeviceD0 && action == kReason) return STATUS_SUCCESS;
    return Interposer::SetPowerState(context, device, state, action);
  }
};

TEST_F(LifeFaults, PowerComesBackWhateverTheReason) {
  EXPECT_TRUE(fires<MindsTheReason<PowerActionSleep>>("MCDM-036"));
  EXPECT_TRUE(fires<MindsTheReason<PowerActionNone>>("MCDM-036"));
}

// In hibernation it leaves the hardware to the bus driver, and thinks of it as if it were on.
struct HibernatesWithoutASave final : Interposer {
  NTSTATUS SetPowerState(PVOID context, ULONG device, DEVICE_POWER_STATE state,
                         POWER_ACTION action) override {
    if (state != PowerDeviceD0) is_off_ = action != PowerActionHibernate;
    if (state == PowerDeviceD0 && !is_off_) return STATUS_SUCCESS;
    return Interposer::SetPowerState(context, device, state, action);
  }
  bool is_off_ = false;
};

TEST_F(LifeFaults, PowerIsGoneInHibernationToo) {
  EXPECT_TRUE(fires<HibernatesWithoutASave>("MCDM-036"));
}

// What it says of its physical adapter is what it said at its first start.
struct AnswersOnce final : Interposer {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_PHYSICALADAPTERCAPS || !NT_SUCCESS(status)) return status;
    auto& caps = *static_cast<DXGK_PHYSICALADAPTERCAPS*>(query->pOutputData);
    if (handle_ == nullptr) handle_ = caps.DxgkPhysicalAdapterHandle;
    caps.DxgkPhysicalAdapterHandle = handle_;
    return status;
  }
  HANDLE handle_ = nullptr;
};

TEST_F(LifeFaults, TheHandleOfTheFirstStartForEver) {
  EXPECT_TRUE(fires<AnswersOnce>("CAPS-013", Configured::GpuVirtual));
}

// Of the GPUs of a link it has written down the nodes of the first.
struct NamesTheFirst final : Interposer {
  NTSTATUS GetNodeMetadata(HANDLE adapter, UINT node, DXGKARG_GETNODEMETADATA* metadata) override {
    const NTSTATUS status = Interposer::GetNodeMetadata(adapter, node, metadata);
    if (NT_SUCCESS(status) && node >> 16 != 0) {
      *metadata = {};
      metadata->EngineType = DXGK_ENGINE_TYPE_OTHER;
    }
    return status;
  }
};

TEST_F(LifeFaults, NodesOfTheSecondGpu) {
  EXPECT_TRUE(fires<NamesTheFirst>("CAPS-012", Configured::Linked));
  EXPECT_TRUE(fires<NamesTheFirst>("CAPS-013", Configured::LinkedUnlikeMmus));
}

// For the second GPU of a link it goes by the size of its own descriptor.
struct StridesOfTheFirst final : Interposer {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_QUERYSEGMENT4 || !NT_SUCCESS(status)) return status;
    const auto& in = *static_cast<const DXGK_QUERYSEGMENTIN4*>(query->pInputData);
    const auto& out = *static_cast<DXGK_QUERYSEGMENTOUT4*>(query->pOutputData);
    if (out.pSegmentDescriptor == nullptr || in.PhysicalAdapterIndex == 0) return status;
    constexpr std::size_t kOwn = sizeof(DXGK_SEGMENTDESCRIPTOR4);
    for (UINT i = 1; i < out.NbSegment; ++i) {
      std::memmove(out.pSegmentDescriptor + i * kOwn,
                   out.pSegmentDescriptor + i * out.SegmentDescriptorStride, kOwn);
    }
    return status;
  }
};

TEST_F(LifeFaults, StridesOfTheSecondGpu) {
  EXPECT_TRUE(fires<StridesOfTheFirst>("SEG-005", Configured::LinkedUnlike));
  EXPECT_FALSE(fires<Interposer>("SEG-005", Configured::LinkedUnlike));
}

// It renders and no more, and says nothing of what it does not have.
struct CountsNothing final : Interposer {
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table, PULONG,
                       PULONG) override {
    ULONG sources = 0, children = 0;
    return Interposer::StartDevice(miniport, info, table, &sources, &children);
  }
};

TEST_F(LifeFaults, CountsThatStartDeviceLeavesAlone) {
  EXPECT_TRUE(fires<CountsNothing>("LIFE-012"));
}

// The way out of a CreateContext that fails frees the place of the context before it, which the
// next one gets: whatever sets a root there sets it for both.
struct FreesAnothersPlace final : Interposer {
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (!NT_SUCCESS(status)) {
      if (!living_.empty()) freed_ = living_.back();
    } else if (!create->Flags.SystemContext) {
      newest_ = create->hContext;
      living_.push_back(newest_);
    }
    return status;
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    std::erase(living_, context);
    if (freed_ == context) freed_ = nullptr;
    return Interposer::DestroyContext(context);
  }
  void SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* root) override {
    Interposer::SetRootPageTable(adapter, root);
    if (freed_ == nullptr || freed_ == newest_ || root->hContext != newest_) return;
    DXGKARG_SETROOTPAGETABLE also = *root;
    also.hContext = freed_;
    Interposer::SetRootPageTable(adapter, &also);
  }
  std::vector<HANDLE> living_;
  HANDLE freed_ = nullptr, newest_ = nullptr;
};

// What shows it is a clause of address spaces, in the scenario of those that are refused.
TEST_F(LifeFaults, ContextsThatLiveWhileOthersAreRefused) {
  const Fault fault = fault_of<FreesAnothersPlace>();
  const Scenario scenario = with_settings(scenario_of(find_rule("CTX-013")->scenario),
                                          settings_of(Configured::GpuVirtual));
  EXPECT_FALSE(run(scenario, &fault).failures.empty());
  EXPECT_TRUE(run(scenario).failures.empty());
}

// Private data are user mode's: behind the call in which they came there is something else.
bool g_looked = false, g_still_there = false;

struct LooksAgain final : Interposer {
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const DXGK_ALLOCATIONINFO& info = create->pAllocationInfo[0];
    keep(info.pPrivateDriverData, info.PrivateDriverDataSize);
    return Interposer::CreateAllocation(adapter, create);
  }
  NTSTATUS OpenAllocation(HANDLE device, const DXGKARG_OPENALLOCATION* open) override {
    look();
    keep(open->pOpenAllocation[0].pPrivateDriverData,
         open->pOpenAllocation[0].PrivateDriverDataSize);
    return Interposer::OpenAllocation(device, open);
  }
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    if (!create->Flags.SystemContext) {
      keep(create->pPrivateDriverData, create->PrivateDriverDataSize);
    }
    return Interposer::CreateContext(device, create);
  }
  NTSTATUS CloseAllocation(HANDLE device, const DXGKARG_CLOSEALLOCATION* close) override {
    look();
    return Interposer::CloseAllocation(device, close);
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    look();
    return Interposer::DestroyContext(context);
  }

 private:
  void keep(const void* data, UINT bytes) {
    const auto* const first = static_cast<const UCHAR*>(data);
    where_ = first;
    was_.assign(first, first + bytes);
  }
  void look() {
    if (was_.empty()) return;
    g_looked = true;
    g_still_there |= std::equal(was_.begin(), was_.end(), where_);
    was_.clear();
  }
  const UCHAR* where_ = nullptr;
  std::vector<UCHAR> was_;
};

TEST_F(LifeFaults, PrivateDataAreThereForOneCall) {
  const Fault fault = fault_of<LooksAgain>();
  for (const char* const op :
       {"create_allocation: {allocation: 0}", "create_context: {context: 0}"}) {
    g_looked = g_still_there = false;
    const Scenario scenario = scenario_of(std::string("ops:\n- ") + op + "\n- stop\n");
    EXPECT_TRUE(run(scenario, &fault).failures.empty());
    EXPECT_TRUE(g_looked) << op;
    EXPECT_FALSE(g_still_there) << op;
  }
}

// Private data of a DMA buffer are zero once, and what its last use has left from then on.
struct TrustsItsNotes final : Interposer {
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    create->ContextInfo.DmaBufferPrivateDataSize = sizeof(LONGLONG);
    return status;
  }
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    if (patch->Flags.Paging) return Interposer::Patch(adapter, patch);
    LONGLONG where = 0, noted = 0;
    for (UINT i = 0; i < patch->AllocationListSize; ++i) {
      where += patch->pAllocationList[i].PhysicalAddress.QuadPart;
    }
    std::memcpy(&noted, patch->pDmaBufferPrivateData, sizeof noted);
    if (noted == where) return STATUS_SUCCESS;
    std::memcpy(patch->pDmaBufferPrivateData, &where, sizeof where);
    return Interposer::Patch(adapter, patch);
  }
};

TEST_F(LifeFaults, NotesOfABuffersLastUse) {
  const std::string once = R"(
ops:
- create_allocation: {allocation: 0, place: local}
- create_context: {context: 0}
- prepatch: {mode: never_prepatch}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)";
  const Fault fault = fault_of<TrustsItsNotes>();
  EXPECT_FALSE(says(run(scenario_of(once), &fault), "PATCH-001"));
  const std::string again =
      "- render: {context: 0}\n- bind: {slot: 0, allocation: 0}\n- fill: {slot: 0, value: 2}\n"
      "- idle\n";
  EXPECT_TRUE(says(run(scenario_of(once + again), &fault), "PATCH-001"));
}

// Those of a paging buffer likewise.
bool g_found_notes = false;

struct LeavesNotes final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->DmaBufferPrivateDataSize != 0) {
      UCHAR& note = *static_cast<UCHAR*>(build->pDmaBufferPrivateData);
      g_found_notes |= note != 0;
      note = 0x5A;
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

TEST_F(LifeFaults, NotesOfAPagingBuffersLastUse) {
  const Fault fault = fault_of<LeavesNotes>();
  const Scenario scenario = scenario_of(R"(
ops:
- paging_buffer: {packed: false}
- map_aperture: {page: 5}
- idle
- map_aperture: {page: 9}
- idle
)");
  for (const char* const settings : {"default", "PagingPrivateData=16"}) {
    g_found_notes = false;
    EXPECT_TRUE(run(with_settings(scenario, settings_of(settings)), &fault).failures.empty());
    EXPECT_EQ(g_found_notes, settings != std::string("default"));
  }
}

// One translator for all: who comes while it is at work leaves his bits in it.
struct OneTranslator final : Interposer {
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    auto* const first = static_cast<UCHAR*>(render->pDmaBuffer);
    const std::uint32_t mine = ++translations_;
    const NTSTATUS status = Interposer::Render(context, render);
    if (mine != translations_ && NT_SUCCESS(status)) {
      mangle(first, static_cast<UCHAR*>(render->pDmaBuffer));
    }
    return status;
  }

 private:
  // What the last renders of the scenario write.
  static void mangle(UCHAR* at, const UCHAR* end) {
    constexpr UINT kPattern = 0x31323300, kOfAll = 0xffffff00;
    for (UINT word = 0; end - at >= 4; at += sizeof word) {
      std::memcpy(&word, at, sizeof word);
      if ((word & kOfAll) != kPattern) continue;
      word ^= 0x01000000;
      std::memcpy(at, &word, sizeof word);
    }
  }
  std::uint32_t translations_ = 0;
};

TEST_F(LifeFaults, TwoProcessesInRenderAtOnce) {
  EXPECT_FALSE(fires_in_that_of<Interposer>("IRQL-004", "SUBMIT-015"));
  EXPECT_TRUE(fires_in_that_of<OneTranslator>("IRQL-004", "SUBMIT-015"));
}

// None of these clauses fires without a fault.
TEST_F(LifeFaults, None) {
  EXPECT_FALSE(fires<Interposer>("LIFE-002"));
  EXPECT_FALSE(fires<Interposer>("LIFE-012"));
  EXPECT_FALSE(fires<Interposer>("MCDM-036"));
  EXPECT_FALSE(fires<Interposer>("CAPS-012", Configured::Linked));
  EXPECT_FALSE(fires<Interposer>("CAPS-013", Configured::GpuVirtual));
  EXPECT_FALSE(fires<Interposer>("CAPS-013", Configured::LinkedUnlikeMmus));
}

}  // namespace
}  // namespace wddm::harness
