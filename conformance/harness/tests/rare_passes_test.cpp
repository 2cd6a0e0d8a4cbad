// Drivers that go wrong only where several passes of Render or BuildPagingBuffer, or several
// operations of paging, meet in a way that is seldom seen.
#include <map>
#include <vector>

#include "conformance/drivers/reference/device/hw.h"
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class RarePasses : public ReplayTest {};

// -- of Render

// How far the latest pass has come is kept for the adapter: MultipassOffset says only that it is
// not the first. As long as no other command buffer comes in between, nobody sees it.
struct KeepsProgressInTheAdapter final : Interposer {
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    if (render->MultipassOffset != 0) render->MultipassOffset = progress;
    const NTSTATUS status = Interposer::Render(context, render);
    progress = render->MultipassOffset;
    return status;
  }
  UINT progress = 0;
};

TEST_F(RarePasses, ProgressOfAnotherContextIsTakenForItsOwn) {
  EXPECT_TRUE(fires<KeepsProgressInTheAdapter>("RENDER-005"));
}

// -- evictions through an aperture

// Of several pages, so that those of the aperture do not follow each other in system memory.
constexpr const char* kEvictions = R"(
ops:
- create_allocation: {allocation: 0, pages: 4, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- cpu_write: {allocation: 0, offset: 8192}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
- transfer_chunk: {pages: 3}
- fill_memory: {allocation: 0, pattern: 0x55667788}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
)";

TEST_F(RarePasses, AnEvictionIsMappedTransferredAndUnmapped) {
  const Fault fault = fault_of<EvictsThroughTheAperture>();
  EXPECT_TRUE(run(scenario_of(kEvictions), &fault).failures.empty());

  const Trace& trace = replayer_.trace();
  std::size_t through = 0;
  for (const std::uint32_t index : trace.of<ev::PagingBuilt>()) {
    const auto arguments = trace.blob<PagingArguments>(trace.events()[index]);
    if (trace.at<ev::PagingBuilt>(index).operation != DXGK_OPERATION_TRANSFER) continue;
    ASSERT_FALSE(arguments.empty());
    if (arguments[0].source_segment == 1 && arguments[0].destination_segment == 2) ++through;
  }
  EXPECT_EQ(through, 3u) << "one whole, and one in two parts";
}

// A driver that minds the first page alone where an allocation leaves for an aperture.
struct LeavesPagesBehind final : EvictsThroughTheAperture {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool out =
        build->Operation == DXGK_OPERATION_TRANSFER && build->Transfer.hAllocation != nullptr &&
        build->Transfer.Source.SegmentId == 1 && build->Transfer.Destination.SegmentId == 2;
    const SIZE_T size = build->Transfer.TransferSize;
    if (out) build->Transfer.TransferSize = 4096;
    const NTSTATUS status = EvictsThroughTheAperture::BuildPagingBuffer(adapter, build);
    if (out) build->Transfer.TransferSize = size;
    return status;
  }
};

TEST_F(RarePasses, AnEvictionThroughTheApertureLeavesPagesBehind) {
  const Fault fault = fault_of<LeavesPagesBehind>();
  EXPECT_TRUE(says(run(scenario_of(kEvictions), &fault), "PAGE-005"));
}

// -- of BuildPagingBuffer

// Progress is kept for the adapter until an operation of that kind is done: a reset in its middle
// leaves it for the next one. Transfers of no bytes, which only say between a reset and the restart
// what is gone, come to nothing here.
struct KeepsProgressOverAReset final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool transfer =
        build->Operation == DXGK_OPERATION_TRANSFER && build->Transfer.TransferSize != 0;
    if (transfer && unfinished) build->MultipassOffset = progress;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    if (transfer) {
      unfinished = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      progress = build->MultipassOffset;
    }
    return status;
  }
  bool unfinished = false;
  UINT progress = 0;
};

TEST_F(RarePasses, AnOperationThatWasGivenUpIsResumedByTheNext) {
  EXPECT_TRUE(fires<KeepsProgressOverAReset>("PAGE-003"));
}

// The same with updates of page tables that the GPU is to write.
struct KeepsUpdatesOverAReset final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool update = build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
                        build->UpdatePageTable.UpdateMode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    if (update && unfinished) build->MultipassOffset = progress;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    if (update) {
      unfinished = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      progress = build->MultipassOffset;
    }
    return status;
  }
  bool unfinished = false;
  UINT progress = 0;
};

TEST_F(RarePasses, AnUpdateThatWasGivenUpIsResumedByTheNext) {
  const Fault fault = fault_of<KeepsUpdatesOverAReset>();
  const Scenario scenario =
      with_settings(scenario_of(find_rule("PT-013")->control), settings_of_fault("PT-013"));
  EXPECT_TRUE(says(run(scenario, &fault), "PT-013"));
}

// Where a copy of entries stopped is noted in another unit than it goes on by: no range is left.
struct LeavesTheRestOfACopy final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool resumed = build->Operation == DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES &&
                         build->MultipassOffset != 0;
    return resumed ? STATUS_SUCCESS : Interposer::BuildPagingBuffer(adapter, build);
  }
};

TEST_F(RarePasses, ACopyOfEntriesEndsWithItsFirstBuffer) {
  const Fault fault = fault_of<LeavesTheRestOfACopy>();
  const Scenario scenario =
      with_settings(scenario_of(find_rule("PT-017")->control),
                    settings_of(Configured::GpuVirtualUpdates));
  EXPECT_TRUE(says(run(scenario, &fault), "PT-013"));
}

// Ranges of the same tables are one if their destinations follow each other, wherever their sources
// are.
struct MergesByDestination final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    const auto asked = build->CopyPageTableEntries;
    std::vector<DXGK_BUILDPAGINGBUFFER_COPY_RANGE> merged;
    for (UINT i = 0; i < asked.NumRanges; ++i) {
      const auto& range = asked.pRanges[i];
      const bool goes_on =
          !merged.empty() &&
          merged.back().SrcPageTableAddress == range.SrcPageTableAddress &&
          merged.back().DstPageTableAddress == range.DstPageTableAddress &&
          merged.back().DstStartPteIndex + merged.back().NumPageTableEntries ==
              range.DstStartPteIndex;
      if (goes_on) merged.back().NumPageTableEntries += range.NumPageTableEntries;
      if (!goes_on) merged.push_back(range);
    }
    build->CopyPageTableEntries.pRanges = merged.data();
    build->CopyPageTableEntries.NumRanges = static_cast<UINT>(merged.size());
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->CopyPageTableEntries = asked;
    return status;
  }
};

TEST_F(RarePasses, RangesAreMergedThatAreApartInTheSource) {
  const Fault fault = fault_of<MergesByDestination>();
  const Scenario scenario =
      with_settings(scenario_of(find_rule("PT-025")->control), settings_of_fault("PT-025"));
  EXPECT_TRUE(says(run(scenario, &fault), "PT-017"));
}

// -- of Patch

// Where an allocation lies is noted when the first portion of a buffer is patched, and taken from
// there for all that follow.
struct PatchesAsAtFirst final : Interposer {
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    if (patch->pAllocationList == nullptr) return Interposer::Patch(adapter, patch);
    const bool first = patch->DmaBufferSubmissionStartOffset == 0;
    std::vector<DXGK_ALLOCATIONLIST> list(patch->pAllocationList,
                                          patch->pAllocationList + patch->AllocationListSize);
    if (first) noted = list;
    for (std::size_t i = 0; i < list.size() && i < noted.size(); ++i) {
      if (noted[i].SegmentId != 0) list[i] = noted[i];
    }
    DXGKARG_PATCH altered = *patch;
    altered.pAllocationList = list.data();
    return Interposer::Patch(adapter, &altered);
  }
  std::vector<DXGK_ALLOCATIONLIST> noted;
};

TEST_F(RarePasses, AnAllocationThatComesBackIsPatchedWhereItWas) {
  const Fault fault = fault_of<PatchesAsAtFirst>();
  EXPECT_TRUE(says(run(scenario_of(find_rule("SPLIT-005")->control), &fault), "SPLIT-005"));
}

// What is to be patched as it was at first is taken to be so still.
struct PatchesWhatDiffersFromTheFirst final : Interposer {
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    if (patch->pAllocationList == nullptr) return Interposer::Patch(adapter, patch);
    std::vector<LONGLONG> places;
    for (UINT i = 0; i < patch->AllocationListSize; ++i) {
      places.push_back(patch->pAllocationList[i].PhysicalAddress.QuadPart);
    }
    const auto [known, is_first] = first.try_emplace(patch->pDmaBuffer, places);
    if (!is_first && known->second == places) return STATUS_SUCCESS;
    return Interposer::Patch(adapter, patch);
  }
  std::map<const void*, std::vector<LONGLONG>> first;
};

TEST_F(RarePasses, AnAllocationThatHasMovedTwiceIsPatchedWhereItWasMeanwhile) {
  const Fault fault = fault_of<PatchesWhatDiffersFromTheFirst>();
  const Scenario scenario =
      with_settings(scenario_of(find_rule("PATCH-003")->control), settings_of_fault("PATCH-003"));
  EXPECT_TRUE(says(run(scenario, &fault), "PATCH-001"));
}

// The range of elements begins at a number of 8 bits.
struct CountsElementsInAByte final : Interposer {
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    DXGKARG_PATCH altered = *patch;
    altered.PatchLocationListSubmissionStart &= 0xff;
    return Interposer::Patch(adapter, &altered);
  }
};

TEST_F(RarePasses, APortionBehindManyElementsIsPatchedByOthers) {
  const Fault fault = fault_of<CountsElementsInAByte>();
  EXPECT_TRUE(says(run(scenario_of(find_rule("PATCH-002")->control), &fault), "PATCH-001"));
}

// -- sizes

// A command has a field of 20 bits for them.
struct FillsLessThanAMegabyte final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_FILL) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    const SIZE_T asked = build->Fill.FillSize;
    build->Fill.FillSize &= 0xfffff;
    const NTSTATUS status =
        build->Fill.FillSize == 0 ? STATUS_SUCCESS : Interposer::BuildPagingBuffer(adapter, build);
    build->Fill.FillSize = asked;
    return status;
  }
};

TEST_F(RarePasses, AFillOfAMegabyteIsCut) {
  const Fault fault = fault_of<FillsLessThanAMegabyte>();
  EXPECT_TRUE(says(run(scenario_of(find_rule("PAGE-012")->control), &fault), "PAGE-012"));
}

struct TransfersLessThanAMegabyte final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_TRANSFER) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    const SIZE_T asked = build->Transfer.TransferSize;
    build->Transfer.TransferSize &= 0xfffff;
    const NTSTATUS status = build->Transfer.TransferSize == 0
                                ? STATUS_SUCCESS
                                : Interposer::BuildPagingBuffer(adapter, build);
    build->Transfer.TransferSize = asked;
    return status;
  }
};

TEST_F(RarePasses, ATransferOfAMegabyteIsCut) {
  const Fault fault = fault_of<TransfersLessThanAMegabyte>();
  EXPECT_TRUE(says(run(scenario_of(find_rule("PAGE-003")->control), &fault), "PAGE-005"));
}

// The last entry of the aperture's table is kept for another purpose.
struct LeavesOutTheLastEntry final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    auto& map = build->MapApertureSegment;
    if (build->Operation != DXGK_OPERATION_MAP_APERTURE_SEGMENT ||
        map.OffsetInPages + map.NumberOfPages < HW_APERTURE_PAGES) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    const SIZE_T asked = map.NumberOfPages;
    --map.NumberOfPages;
    const NTSTATUS status =
        map.NumberOfPages == 0 ? STATUS_SUCCESS : Interposer::BuildPagingBuffer(adapter, build);
    map.NumberOfPages = asked;
    return status;
  }
};

TEST_F(RarePasses, TheLastPageOfAnApertureLeadsNowhere) {
  const Fault fault = fault_of<LeavesOutTheLastEntry>();
  EXPECT_TRUE(says(run(scenario_of(find_rule("PAGE-014")->control), &fault), "PAGE-014"));
}

}  // namespace
}  // namespace wddm::harness
