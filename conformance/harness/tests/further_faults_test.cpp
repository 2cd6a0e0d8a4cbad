// Faults of clauses that have another seeded one: they are caught by the clause in its own
// scenario, too.
#include <algorithm>
#include <map>
#include <vector>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"
#include "conformance/sdk/ddi/nt/memory.h"

namespace wddm::harness {
namespace {

class FurtherFaults : public ReplayTest {
 protected:
  /// Whether the clause fires in its own scenario.
  bool fires(const char* id, std::uint32_t variant, const Fault* fault = nullptr) {
    std::vector<Op> settings = settings_of_fault(id);
    settings.push_back(this->variant(variant));
    return fires_in_its_own(id, settings, fault);
  }
  static Op variant(std::uint32_t number) {
    return {
        .kind = OpKind::Configure, .a = static_cast<std::uint8_t>(Setting::Variant), .x = number};
  }
};

// -- variants of the built-in driver

TEST_F(FurtherFaults, AcknowledgedLateLosesACompletion) {
  EXPECT_TRUE(fires("FENCE-001", 17));
}

TEST_F(FurtherFaults, StoppedWithItsRootReadsTheOldOne) {
  EXPECT_TRUE(fires("ROOT-010", 18));
}

TEST_F(FurtherFaults, RootsOfBeforeAResetAreTakenForLoaded) {
  EXPECT_TRUE(fires("MMU-015", 40));
}

// Reports that never come are MMU-012's, in the scenario of their content.
TEST_F(FurtherFaults, EnginesThatFaultAtATime) {
  const Scenario scenario = scenario_of(find_rule("MMU-013")->scenario);
  std::vector<Op> settings = settings_of_fault("MMU-013");
  EXPECT_FALSE(says(run(with_settings(scenario, settings)), "MMU-012"));
  settings.push_back(variant(41));
  EXPECT_TRUE(says(run(with_settings(scenario, settings)), "MMU-012"));
}

// -- at the boundary

// The hardware counts in so many bits, and the driver takes what it reads for the fence.
template <unsigned kBits>
struct FencesOfBits final : Interposer {
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA cut = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
      cut.DmaCompleted.SubmissionFenceId &= (1u << kBits) - 1;
    }
    Interposer::NotifyInterrupt(adapter, &cut);
  }
};

TEST_F(FurtherFaults, FencesThatLoseTheirUpperBits) {
  for (const Fault& fault : {fault_of<FencesOfBits<8>>(), fault_of<FencesOfBits<16>>(),
                             fault_of<FencesOfBits<24>>(), fault_of<FencesOfBits<31>>()}) {
    EXPECT_TRUE(fires("FENCE-003", 0, &fault));
  }
}

// A report that is older by the numbers is dropped.
struct ComparesFences final : Interposer {
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
      if (data->DmaCompleted.SubmissionFenceId < highest_) return;
      highest_ = data->DmaCompleted.SubmissionFenceId;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  UINT highest_ = 0;
};

TEST_F(FurtherFaults, FencesThatWrapAreDropped) {
  const Fault fault = fault_of<ComparesFences>();
  const Rule& rule = *find_rule("FENCE-003");
  const Judged& judged = run(scenario_of(rule.scenario), &fault);
  EXPECT_FALSE(judged.failures.empty());
}

// A refused packet is over at once, it thinks: there is nothing of it to be done.
struct RefusedIsCompleted final : Interposer {
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    const NTSTATUS status = Interposer::SubmitCommandVirtual(adapter, submit);
    if (status == STATUS_INVALID_PARAMETER) refused_ = submit->SubmissionFenceId;
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED && refused_ != 0) {
      altered.DmaPreempted.LastCompletedFenceId = refused_;
    }
    refused_ = 0;
    Interposer::NotifyInterrupt(adapter, &altered);
  }
  UINT refused_ = 0;
};

TEST_F(FurtherFaults, RefusedPacketsCountAheadOfOneThatIsStopped) {
  const Fault fault = fault_of<RefusedIsCompleted>();
  EXPECT_TRUE(fires("SUBMIT-008", 0, &fault));
}

// A reset of the adapter settles what the hardware was given, and a refused packet it never was.
struct SettlesWhatItTook final : Interposer {
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    const NTSTATUS status = Interposer::SubmitCommandVirtual(adapter, submit);
    Node& node = nodes_[submit->NodeOrdinal];
    (status == STATUS_INVALID_PARAMETER ? node.refused : node.taken) = submit->SubmissionFenceId;
    node.settled = false;
    return status;
  }
  NTSTATUS ResetFromTimeout(HANDLE adapter) override {
    for (auto& [ordinal, node] : nodes_) node.settled = true;
    return Interposer::ResetFromTimeout(adapter);
  }
  NTSTATUS QueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* query) override {
    const NTSTATUS status = Interposer::QueryCurrentFence(adapter, query);
    forget(query->NodeOrdinal, query->CurrentFence);
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
      forget(data->DmaPreempted.NodeOrdinal, altered.DmaPreempted.LastCompletedFenceId);
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }
  void forget(UINT ordinal, UINT& fence) {
    const Node& node = nodes_[ordinal];
    if (node.settled && fence == node.refused) fence = node.taken;
  }
  struct Node {
    UINT taken = 0, refused = 0;
    bool settled = false;
  };
  std::map<UINT, Node> nodes_;
};

TEST_F(FurtherFaults, ResetsOfTheAdapterForgetRefusedPackets) {
  const Fault fault = fault_of<SettlesWhatItTook>();
  EXPECT_TRUE(fires_in_its_own("TDR-002", settings_of(Configured::GpuVirtual), &fault));
}

// What completed last is kept in the driver's own memory, which is there for as long as the driver.
struct RemembersTheLastFence final : Interposer {
  NTSTATUS StopDevice(PVOID context) override {
    stopped_ = true;
    return Interposer::StopDevice(context);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
      stopped_ = false;
      last_ = data->DmaCompleted.SubmissionFenceId;
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED && stopped_) {
      altered.DmaPreempted.LastCompletedFenceId = last_;
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }
  bool stopped_ = false;
  UINT last_ = 0;
};

TEST_F(FurtherFaults, TheLastFenceOutlivesStopDevice) {
  const Fault fault = fault_of<RemembersTheLastFence>();
  EXPECT_TRUE(fires("FENCE-007", 0, &fault));
}

// An interrupt is the adapter's where the routine has found something to tell.
struct OnlyWhatItTellsIsItsOwn final : Interposer {
  BOOLEAN InterruptRoutine(PVOID context, ULONG message) override {
    told_ = false;
    const BOOLEAN claimed = Interposer::InterruptRoutine(context, message);
    return told_ ? claimed : FALSE;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    told_ = true;
    Interposer::NotifyInterrupt(adapter, data);
  }
  bool told_ = false;
};

TEST_F(FurtherFaults, InterruptsOfWhatWasToldBeforeAreDeclined) {
  const Fault fault = fault_of<OnlyWhatItTellsIsItsOwn>();
  EXPECT_TRUE(fires("INTR-006", 0, &fault));
}

// It takes nobody to look at what the routine returns.
struct DeclinesAll final : Interposer {
  BOOLEAN InterruptRoutine(PVOID context, ULONG message) override {
    static_cast<void>(Interposer::InterruptRoutine(context, message));
    return FALSE;
  }
};

TEST_F(FurtherFaults, InterruptsAreHandledAndDeclined) {
  const Fault fault = fault_of<DeclinesAll>();
  EXPECT_TRUE(fires("INTR-006", 0, &fault));
}

// The resource is released by who lists all of its allocations.
struct ResourceGoesAsAWhole final : Interposer {
  NTSTATUS DestroyAllocation(HANDLE adapter, const DXGKARG_DESTROYALLOCATION* destroy) override {
    DXGKARG_DESTROYALLOCATION altered = *destroy;
    if (broken_) altered.Flags.DestroyResource = 0;
    broken_ = destroy->hResource != nullptr && !destroy->Flags.DestroyResource;
    return Interposer::DestroyAllocation(adapter, &altered);
  }
  bool broken_ = false;
};

TEST_F(FurtherFaults, ResourcesThatGoInParts) {
  const Fault fault = fault_of<ResourceGoesAsAWhole>();
  EXPECT_TRUE(fires("DESTROY-006", 0, &fault));
}

// A resource is made by each call for one that has allocations: what it is called already is passed
// over.
struct EachCallMakesAResource final : Interposer {
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    create->hResource = nullptr;
    return Interposer::CreateAllocation(adapter, create);
  }
};

// It knows of a resource what came last.
struct ResourceIsWhatCameLast final : Interposer {
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    if (!NT_SUCCESS(status)) return status;
    last_.clear();
    for (UINT i = 0; i < create->NumAllocations; ++i) {
      last_.push_back(create->pAllocationInfo[i].hAllocation);
    }
    return status;
  }
  NTSTATUS DestroyAllocation(HANDLE adapter, const DXGKARG_DESTROYALLOCATION* destroy) override {
    std::vector<HANDLE> known;
    for (UINT i = 0; i < destroy->NumAllocations; ++i) {
      const HANDLE handle = destroy->pAllocationList[i];
      if (std::count(last_.begin(), last_.end(), handle) != 0) known.push_back(handle);
    }
    DXGKARG_DESTROYALLOCATION altered = *destroy;
    if (destroy->hResource != nullptr) {
      altered.NumAllocations = static_cast<UINT>(known.size());
      altered.pAllocationList = known.data();
    }
    return Interposer::DestroyAllocation(adapter, &altered);
  }
  std::vector<HANDLE> last_;
};

TEST_F(FurtherFaults, ResourcesThatGrow) {
  for (const Fault& fault :
       {fault_of<EachCallMakesAResource>(), fault_of<ResourceIsWhatCameLast>()}) {
    EXPECT_TRUE(fires("DESTROY-006", 0, &fault));
  }
}

// Where no more can be added to a resource, all of it is undone.
struct RefusedAdditionUndoesAll final : Interposer {
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const HANDLE resource = create->hResource;
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    if (NT_SUCCESS(status) || resource == nullptr) return status;
    DXGKARG_DESTROYALLOCATION undo{};
    undo.hResource = resource;
    undo.Flags.DestroyResource = 1;
    static_cast<void>(Interposer::DestroyAllocation(adapter, &undo));
    return status;
  }
};

TEST_F(FurtherFaults, ResourcesToWhichNothingCanBeAdded) {
  const Fault fault = fault_of<RefusedAdditionUndoesAll>();
  const Rule& rule = *find_rule("ALLOC-010");
  EXPECT_TRUE(run(scenario_of(rule.scenario)).failures.empty());
  expect_failure_or_crash(scenario_of(rule.scenario), fault);
}

// A segment that is not there is named for every allocation: private data have nothing to do with
// it.
struct NamesASegmentTooMany final : Interposer {
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    if (!NT_SUCCESS(status)) return status;
    for (UINT i = 0; i < create->NumAllocations; ++i) {
      create->pAllocationInfo[i].SupportedWriteSegmentSet |= 1u << 20;
    }
    return status;
  }
};

TEST_F(FurtherFaults, WhatIsSaidOfUntouchedDataToo) {
  const Fault fault = fault_of<NamesASegmentTooMany>();
  EXPECT_TRUE(fires("ALLOC-002", 0, &fault));
  EXPECT_FALSE(fires("ALLOC-010", 0, &fault));
}

// A component that is in the state already has nothing to do. Who knows that it was reset since?
struct KnowsTheStatesOfComponents final : Interposer {
  NTSTATUS SetPowerComponentFState(HANDLE context, UINT component, UINT state) override {
    const auto known = states_.find(component);
    if (known != states_.end() && known->second == state) return STATUS_SUCCESS;
    const NTSTATUS status = Interposer::SetPowerComponentFState(context, component, state);
    if (NT_SUCCESS(status)) states_[component] = state;
    return status;
  }
  std::map<UINT, UINT> states_;
};

// ... that power has put into F0.
struct PowerPutsComponentsInF0 final : Interposer {
  NTSTATUS SetPowerComponentFState(HANDLE context, UINT component, UINT state) override {
    on_ &= state == 0;
    return on_ ? STATUS_SUCCESS : Interposer::SetPowerComponentFState(context, component, state);
  }
  NTSTATUS SetPowerState(PVOID context, ULONG device, DEVICE_POWER_STATE state,
                         POWER_ACTION action) override {
    on_ = state == PowerDeviceD0;
    return Interposer::SetPowerState(context, device, state, action);
  }
  bool on_ = false;
};

TEST_F(FurtherFaults, ComponentsThatAreTakenToBeInTheirState) {
  for (const Fault& fault :
       {fault_of<KnowsTheStatesOfComponents>(), fault_of<PowerPutsComponentsInF0>()}) {
    EXPECT_TRUE(fires("MCDM-034", 0, &fault));
  }
}

// Its ring is of the memory manager, by a function that no list of forbidden ones names.
NTSTATUS APIENTRY allocates_by_itself(HANDLE, DXGKARGCB_ALLOCATECONTIGUOUSMEMORY* args) {
  args->pMemory = MmAllocateContiguousNodeMemory(
      args->NumberOfBytes, args->LowestAcceptableAddress, args->HighestAcceptableAddress,
      args->BoundaryAddressMultiple, PAGE_READWRITE, MM_ANY_NODE_OK);
  args->hMemoryHandle = args->pMemory;
  return args->pMemory != nullptr ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}
struct AllocatesByItself final : Interposer {
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    table->DxgkCbAllocateContiguousMemory = allocates_by_itself;
    table->DxgkCbFreeContiguousMemory = [](HANDLE, const DXGKARGCB_FREECONTIGUOUSMEMORY* args) {
      MmFreeContiguousMemory(args->hMemoryHandle);
      return NTSTATUS{STATUS_SUCCESS};
    };
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
};

TEST_F(FurtherFaults, MemoryOfTheDeviceThatNoIommuKnows) {
  const Fault fault = fault_of<AllocatesByItself>();
  EXPECT_TRUE(fires("MCDM-042", 0, &fault));
}

// Queries that name a GPU of a link are answered for the one that leads it.
template <DXGK_QUERYADAPTERINFOTYPE kType, class Input>
struct AnswersOneForTheLead final : Interposer {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    if (query->Type != kType || query->pInputData == nullptr ||
        query->InputDataSize < sizeof(Input)) {
      return Interposer::QueryAdapterInfo(adapter, query);
    }
    Input lead = *static_cast<const Input*>(query->pInputData);
    lead.PhysicalAdapterIndex = 0;
    DXGKARG_QUERYADAPTERINFO altered = *query;
    altered.pInputData = &lead;
    return Interposer::QueryAdapterInfo(adapter, &altered);
  }
};

TEST_F(FurtherFaults, LevelsAndHandlesOfTheLead) {
  using Levels =
      AnswersOneForTheLead<DXGKQAITYPE_PAGETABLELEVELDESC, DXGK_QUERYPAGETABLELEVELDESCIN>;
  using Handles =
      AnswersOneForTheLead<DXGKQAITYPE_PHYSICALADAPTERCAPS, DXGK_QUERYPHYSICALADAPTERCAPSIN>;
  for (const Fault& fault : {fault_of<Levels>(), fault_of<Handles>()}) {
    EXPECT_TRUE(fires("LDA-002", 0, &fault));
  }
}

// ... whose addresses are those of the lead's BAR.
TEST_F(FurtherFaults, SegmentsOfTheLead) {
  using Segments = AnswersOneForTheLead<DXGKQAITYPE_QUERYSEGMENT4, DXGK_QUERYSEGMENTIN4>;
  const Fault fault = fault_of<Segments>();
  const Rule& rule = *find_rule("LDA-002");
  const Judged& judged =
      run(with_settings(scenario_of(rule.scenario), configuration_of_fault(rule).settings), &fault);
  ASSERT_FALSE(judged.failures.empty());
  EXPECT_EQ(judged.failures.front().id, "SEG-006");
}

}  // namespace
}  // namespace wddm::harness
