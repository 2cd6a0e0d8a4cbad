// Drivers that go on with what they were told, or what they said, once: a clause says so in its own
// scenario, in the configuration where it can differ.
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class StaleAnswers : public ReplayTest {};

// A root that stays where it is is taken to be unchanged.
struct RootThatStaysIsTheSame final : Interposer {
  void SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    const std::pair place{set->Address.SegmentId, set->Address.SegmentOffset};
    const auto [known, is_new] = last_.try_emplace(set->hContext, place);
    if (!is_new && std::exchange(known->second, place) == place) return;
    Interposer::SetRootPageTable(adapter, set);
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    last_.erase(context);
    return Interposer::DestroyContext(context);
  }
  std::map<HANDLE, std::pair<UINT, UINT64>> last_;
};

TEST_F(StaleAnswers, ARootThatBecomesSmallerWhereItLies) {
  EXPECT_TRUE(fires<RootThatStaysIsTheSame>("ROOT-011", Configured::GpuVirtualUpdates));
}

// Only what is more than before is taken over.
struct RootThatStaysNeverGrows final : Interposer {
  void SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    const auto known = last_.find(set->hContext);
    DXGKARG_SETROOTPAGETABLE least = *set;
    if (known != last_.end() && known->second.Address.SegmentOffset == set->Address.SegmentOffset) {
      least.NumEntries = std::min(least.NumEntries, known->second.NumEntries);
    }
    last_[set->hContext] = least;
    Interposer::SetRootPageTable(adapter, &least);
  }
  std::map<HANDLE, DXGKARG_SETROOTPAGETABLE> last_;
};

TEST_F(StaleAnswers, ARootThatBecomesLargerWhereItLies) {
  EXPECT_TRUE(fires<RootThatStaysNeverGrows>("ROOT-007", Configured::GpuVirtual));
}

// Segment 2 is the aperture in the list that the driver had once.
struct ApertureIsSegmentTwo final : Interposer {
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    create->ContextInfo.DmaBufferSegmentSet = 2;
    return status;
  }
  NTSTATUS CreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* create) override {
    const NTSTATUS status = Interposer::CreateDevice(adapter, create);
    if (create->pInfo != nullptr) create->pInfo->DmaBufferSegmentSet = 2;
    return status;
  }
};

TEST_F(StaleAnswers, BuffersInSegmentTwo) {
  EXPECT_FALSE(fires<ApertureIsSegmentTwo>("SEG-004", Configured::BuffersInAperture));
  for (const Configured order : {Configured::ApertureFirst, Configured::ApertureFirst2,
                                 Configured::ApertureAlone, Configured::MemoryAlone}) {
    EXPECT_TRUE(fires<ApertureIsSegmentTwo>("SEG-004", order)) << static_cast<int>(order);
  }
}

TEST_F(StaleAnswers, BuffersOfDevicesInSegmentTwo) {
  EXPECT_TRUE(fires<ApertureIsSegmentTwo>("SEG-004", Configured::ApertureOfDevices));
}

// The size of a surface is made of its width, though its rows are further apart.
struct SizeOfTheWidth final : Interposer {
  NTSTATUS GetStandardAllocationDriverData(HANDLE adapter,
                                           DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* data) override {
    if (data->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE) {
      const auto& surface = *data->pCreateStagingSurfaceData;
      constexpr std::uint64_t kPage = 4096;
      size_ = (std::uint64_t{surface.Width} * 4 * surface.Height + kPage - 1) / kPage * kPage;
    }
    return Interposer::GetStandardAllocationDriverData(adapter, data);
  }
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    const std::uint64_t size = std::exchange(size_, 0);
    for (UINT i = 0; size != 0 && i < create->NumAllocations; ++i) {
      create->pAllocationInfo[i].Size = size;
    }
    return status;
  }
  std::uint64_t size_ = 0;
};

TEST_F(StaleAnswers, SurfacesWithoutThePaddingOfTheirRows) {
  EXPECT_TRUE(fires<SizeOfTheWidth>("ALLOC-013", Configured::Default));
}

// Whatever is no read is told as a write: a fault of a fetch lies in the commands themselves.
struct FetchesAreWrites final : Interposer {
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    commands_[submit->SubmissionFenceId] = {submit->DmaBufferVirtualAddress, submit->DmaBufferSize};
    return Interposer::SubmitCommandVirtual(adapter, submit);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    auto& fault = altered.DmaPageFaulted;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
      const auto [first, bytes] = commands_[fault.FaultedFenceId];
      if (fault.FaultedVirtualAddress - first < bytes) {
        fault.PageFaultFlags =
            static_cast<DXGK_PAGE_FAULT_FLAGS>(fault.PageFaultFlags | DXGK_PAGE_FAULT_WRITE);
      }
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }
  std::map<UINT, std::pair<std::uint64_t, std::uint64_t>> commands_;
};

TEST_F(StaleAnswers, FetchesThatAreToldAsWrites) {
  EXPECT_TRUE(fires<FetchesAreWrites>("MMU-013", Configured::GpuVirtual));
}

// The CPU's addresses of segments are those of the first start.
struct SegmentsOfTheFirstStart final : Interposer {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_QUERYSEGMENT3 || !NT_SUCCESS(status)) return status;
    auto& out = *static_cast<DXGK_QUERYSEGMENTOUT3*>(query->pOutputData);
    for (UINT i = 0; out.pSegmentDescriptor != nullptr && i < out.NbSegment; ++i) {
      auto& address = out.pSegmentDescriptor[i].CpuTranslatedAddress;
      address.QuadPart = first_.try_emplace(i, address.QuadPart).first->second;
    }
    return status;
  }
  std::map<UINT, LONGLONG> first_;
};

TEST_F(StaleAnswers, SegmentsWhereTheyWereAtTheFirstStart) {
  EXPECT_TRUE(fires<SegmentsOfTheFirstStart>("SEG-006", Configured::Default));
}

// The registers are looked for where they were, and are not found.
struct StartsOnlyOnce final : Interposer {
  NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE callbacks,
                       PULONG sources, PULONG children) override {
    if (std::exchange(started_, true)) return STATUS_DEVICE_CONFIGURATION_ERROR;
    return Interposer::StartDevice(context, info, callbacks, sources, children);
  }
  bool started_ = false;
};

TEST_F(StaleAnswers, ADeviceThatLiesElsewhereIsNotFound) {
  EXPECT_TRUE(fires<StartsOnlyOnce>("LIFE-010", Configured::Default));
}

}  // namespace
}  // namespace wddm::harness
