// Drivers of a link that take another GPU than the one that a call names, in each argument that
// names one: the clause says so in its own scenario.
//
// Left out: queries of capabilities, which further_faults_test.cpp has.
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class LinkedFaults : public ReplayTest {
 protected:
  /// Whether the clause fires in its own scenario, played in a configuration with a link.
  bool fires(const char* id, const Fault* fault, Configured where = Configured::Linked,
             std::uint32_t variant = 0) {
    EXPECT_TRUE(find_rule(id)->played_in.has(where)) << id;
    std::vector<Op> settings = settings_of(where);
    settings.push_back({.kind = OpKind::Configure,
                        .a = static_cast<std::uint8_t>(Setting::Variant),
                        .x = variant});
    return fires_in_its_own(id, settings, fault);
  }
  template <class Kind>
  bool fires(const char* id, Configured where = Configured::Linked) {
    return ReplayTest::fires<Kind>(id, where);
  }
};

// -- PhysicalAdapterIndex

struct MapsWindowsOfTheLead final : Interposer {
  NTSTATUS MapCpuHostAperture(HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE* map) override {
    DXGKARG_MAPCPUHOSTAPERTURE lead = *map;
    lead.PhysicalAdapterIndex = 0;
    return Interposer::MapCpuHostAperture(adapter, &lead);
  }
};

TEST_F(LinkedFaults, WindowsOfTheLeadAreMapped) {
  EXPECT_TRUE(fires<MapsWindowsOfTheLead>("PT-021", Configured::LinkedHostAperture));
}

struct UnmapsWindowsOfTheLead final : Interposer {
  NTSTATUS UnmapCpuHostAperture(HANDLE adapter,
                                const DXGKARG_UNMAPCPUHOSTAPERTURE* unmap) override {
    DXGKARG_UNMAPCPUHOSTAPERTURE lead = *unmap;
    lead.PhysicalAdapterIndex = 0;
    return Interposer::UnmapCpuHostAperture(adapter, &lead);
  }
};

TEST_F(LinkedFaults, WindowsOfTheLeadAreUnmapped) {
  EXPECT_TRUE(fires<UnmapsWindowsOfTheLead>("APER-006", Configured::LinkedHostAperture));
}

// -- EngineOrdinal

struct AsksTheLead final : Interposer {
  NTSTATUS QueryEngineStatus(HANDLE adapter, DXGKARG_QUERYENGINESTATUS* query) override {
    DXGKARG_QUERYENGINESTATUS lead = *query;
    lead.EngineOrdinal = 0;
    const NTSTATUS status = Interposer::QueryEngineStatus(adapter, &lead);
    query->EngineStatus = lead.EngineStatus;
    return status;
  }
};

TEST_F(LinkedFaults, StatusOfTheLead) {
  EXPECT_TRUE(fires<AsksTheLead>("ENGRST-008"));
}

struct PreemptsTheLead final : Interposer {
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    DXGKARG_PREEMPTCOMMAND lead = *preempt;
    lead.EngineOrdinal = 0;
    return Interposer::PreemptCommand(adapter, &lead);
  }
};

TEST_F(LinkedFaults, EngineOfTheLeadIsPreempted) {
  EXPECT_TRUE(fires<PreemptsTheLead>("PREEMPT-023"));
}

// The packet that was submitted last is named, as if its engine had been reset.
struct ResetsTheLead final : Interposer {
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    last_[{submit->NodeOrdinal, submit->EngineOrdinal}] = submit->SubmissionFenceId;
    return Interposer::SubmitCommandVirtual(adapter, submit);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    if (reset->EngineOrdinal == 0) return Interposer::ResetEngine(adapter, reset);
    DXGKARG_RESETENGINE lead = *reset;
    lead.EngineOrdinal = 0;
    reset->LastAbortedFenceId = last_[{reset->NodeOrdinal, reset->EngineOrdinal}];
    return Interposer::ResetEngine(adapter, &lead);
  }
  std::map<std::pair<UINT, UINT>, UINT> last_;
};

TEST_F(LinkedFaults, EngineOfTheLeadIsReset) {
  EXPECT_TRUE(fires<ResetsTheLead>("ENGRST-001"));
}

// ... and tells the fence of that one.
struct TellsFenceOfTheLead final : Interposer {
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    const NTSTATUS status = Interposer::ResetEngine(adapter, reset);
    if (reset->EngineOrdinal == 0) return status;
    DXGKARG_RESETENGINE lead = *reset;
    lead.EngineOrdinal = 0;
    static_cast<void>(Interposer::ResetEngine(adapter, &lead));
    reset->LastAbortedFenceId = lead.LastAbortedFenceId;
    return status;
  }
};

TEST_F(LinkedFaults, FenceOfTheLeadIsToldOfAReset) {
  EXPECT_TRUE(fires<TellsFenceOfTheLead>("ENGRST-002"));
}

struct FaultsOfTheLead final : Interposer {
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
      altered.DmaPageFaulted.EngineOrdinal = 0;
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }
};

TEST_F(LinkedFaults, PageFaultsAreReportedForTheLead) {
  EXPECT_TRUE(fires<FaultsOfTheLead>("LDA-008"));
}

// -- calls that are for all GPUs

struct SettlesTheLead final : Interposer {
  NTSTATUS ResetFromTimeout(HANDLE adapter) override {
    was_reset_ = true;
    return Interposer::ResetFromTimeout(adapter);
  }
  NTSTATUS QueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* query) override {
    const NTSTATUS status = Interposer::QueryCurrentFence(adapter, query);
    const auto last = completed_.find(query->NodeOrdinal);
    const bool other = query->EngineOrdinal != 0;
    if (was_reset_ && other && last != completed_.end()) query->CurrentFence = last->second;
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        data->DmaCompleted.EngineOrdinal != 0) {
      completed_[data->DmaCompleted.NodeOrdinal] = data->DmaCompleted.SubmissionFenceId;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  std::map<UINT, UINT> completed_;  // of the other GPU, by node
  bool was_reset_ = false;
};

TEST_F(LinkedFaults, OnlyTheLeadIsSettledByAReset) {
  EXPECT_TRUE(fires<SettlesTheLead>("TDR-002"));
}

// Nothing runs on the other.
struct RestartsTheLead final : Interposer {
  NTSTATUS RestartFromTimeout(HANDLE adapter) override {
    restarted_ = true;
    return Interposer::RestartFromTimeout(adapter);
  }
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    if (restarted_ && submit->EngineOrdinal != 0) return STATUS_SUCCESS;
    return Interposer::SubmitCommandVirtual(adapter, submit);
  }
  bool restarted_ = false;
};

TEST_F(LinkedFaults, OnlyTheLeadIsRestarted) {
  EXPECT_TRUE(fires<RestartsTheLead>("TDR-004"));
}

// -- what each GPU keeps of a process

// Operations for another GPU than the lead succeed, and have no commands.
template <DXGK_BUILDPAGINGBUFFER_OPERATION kOperation>
struct PagesForTheLead final : Interposer {
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    const bool other = NT_SUCCESS(status) && (create->EngineAffinity & 1) == 0;
    if (other && create->Flags.SystemContext) systems_.insert(create->hContext);
    used_ |= other && !create->Flags.SystemContext;
    return status;
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    // That the GPU can page at all until clients use it.
    const bool lost =
        used_ && build->Operation == kOperation && systems_.contains(build->hSystemContext);
    return lost ? STATUS_SUCCESS : Interposer::BuildPagingBuffer(adapter, build);
  }
  std::set<HANDLE> systems_;  // of other GPUs
  bool used_ = false;
};

TEST_F(LinkedFaults, TranslationsOfTheLeadAreFlushed) {
  EXPECT_TRUE(fires<PagesForTheLead<DXGK_OPERATION_FLUSH_TLB>>("VPAGE-004"));
}

TEST_F(LinkedFaults, ContextAllocationsOfTheLeadAreUpdated) {
  using Updates = PagesForTheLead<DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION>;
  EXPECT_TRUE(fires<Updates>("VPAGE-009", Configured::LinkedContexts));
}

TEST_F(LinkedFaults, NoticesForTheLeadAreHeard) {
  using Notices = PagesForTheLead<DXGK_OPERATION_NOTIFY_RESIDENCY>;
  EXPECT_TRUE(fires<Notices>("VPAGE-011", Configured::LinkedContexts));
}

// The tables of each GPU lie behind those of the one before, it thinks.
struct AddsToTheRoot final : Interposer {
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    const bool other = (create->EngineAffinity & 1) == 0 && !create->Flags.SystemContext;
    if (NT_SUCCESS(status) && other) others_.insert(create->hContext);
    return status;
  }
  void SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    DXGKARG_SETROOTPAGETABLE behind = *set;
    if (others_.contains(set->hContext)) behind.Address.SegmentOffset += PAGE_SIZE;
    Interposer::SetRootPageTable(adapter, &behind);
  }
  std::set<HANDLE> others_;  // contexts of other GPUs
};

TEST_F(LinkedFaults, RootsOfEachGpuAreLookedForElsewhere) {
  EXPECT_TRUE(fires<AddsToTheRoot>("LDA-011"));
}

TEST_F(LinkedFaults, TranslationsThatOnlyTheLeadForgets) {
  EXPECT_TRUE(fires("PROC-005", nullptr, Configured::Linked, 32));
}

TEST_F(LinkedFaults, OwnTablesAreInstalledOnce) {
  EXPECT_TRUE(fires("PROC-003", nullptr, Configured::Linked, 13));
}

// A header is written into what has become resident in the memory of another GPU.
struct WritesHeaderOnTheOther final : Interposer {
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    dxgkrnl_ = *table;
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    const auto* const in = static_cast<const DXGK_QUERYSEGMENTIN4*>(query->pInputData);
    if (query->Type != DXGKQAITYPE_QUERYSEGMENT4 || !NT_SUCCESS(status) || in == nullptr ||
        in->PhysicalAdapterIndex == 0) {
      return status;
    }
    const auto& out = *static_cast<const DXGK_QUERYSEGMENTOUT4*>(query->pOutputData);
    if (out.pSegmentDescriptor == nullptr) return status;
    for (UINT i = 0; i < out.NbSegment; ++i) {
      const BYTE* const at = out.pSegmentDescriptor + i * out.SegmentDescriptorStride;
      const auto& segment = *reinterpret_cast<const DXGK_SEGMENTDESCRIPTOR4*>(at);
      if (segment.Flags.CpuVisible) places_[i + 1] = segment.CpuTranslatedAddress;
    }
    return status;
  }
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (NT_SUCCESS(status) && (create->EngineAffinity & 1) == 0) systems_.insert(create->hContext);
    return status;
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const auto& notice = build->NotifyResidency;
    const bool comes = build->Operation == DXGK_OPERATION_NOTIFY_RESIDENCY && notice.Resident &&
                       systems_.contains(build->hSystemContext);
    if (comes && places_.contains(notice.PhysicalAddress.SegmentId)) write(notice.PhysicalAddress);
    return Interposer::BuildPagingBuffer(adapter, build);
  }
  void write(const D3DGPU_PHYSICAL_ADDRESS& at) {
    PHYSICAL_ADDRESS place = places_[at.SegmentId];
    place.QuadPart += static_cast<LONGLONG>(at.SegmentOffset);
    PVOID mapped = nullptr;
    if (!NT_SUCCESS(dxgkrnl_.DxgkCbMapMemory(dxgkrnl_.DeviceHandle, place, sizeof(ULONG), FALSE,
                                             FALSE, MmNonCached, &mapped))) {
      return;
    }
    *static_cast<ULONG*>(mapped) ^= 0x48454144;
    dxgkrnl_.DxgkCbUnmapMemory(dxgkrnl_.DeviceHandle, mapped);
  }
  DXGKRNL_INTERFACE dxgkrnl_{};
  std::map<UINT, PHYSICAL_ADDRESS> places_;  // of segments of another GPU than the lead
  std::set<HANDLE> systems_;
};

TEST_F(LinkedFaults, ANoticeOfTheOtherGpuWritesItsMemory) {
  EXPECT_TRUE(fires<WritesHeaderOnTheOther>("VPAGE-008"));
}

}  // namespace
}  // namespace wddm::harness
