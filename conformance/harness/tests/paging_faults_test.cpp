// Drivers that go wrong in paging in ways that no clause was written for, and one that is slow but
// right: the clause that says what an operation must do judges it, and blames that operation.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class PagingFaults : public ReplayTest {
 protected:
  /// What fires in the clause's own scenario, each id once, separated by spaces.
  template <class Kind>
  std::string fired_in(const char* id) {
    return fired_in<Kind>(id, settings_of_fault(id));
  }
  template <class Kind>
  std::string fired_in(const char* id, const std::vector<Op>& settings) {
    const Fault fault = fault_of<Kind>();
    std::string ids;
    for (const Failure& failure :
         run(with_settings(scenario_of(find_rule(id)->scenario), settings), &fault)
             .failures) {
      if (ids.find(failure.id) == std::string::npos) ids += failure.id + " ";
    }
    return ids;
  }
};

template <DXGK_BUILDPAGINGBUFFER_OPERATION kOperation>
struct DoesNothing final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == kOperation) return STATUS_SUCCESS;
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

TEST_F(PagingFaults, PAGE012_AFillThatEmitsNothingIsBlamedItself) {
  EXPECT_EQ(fired_in<DoesNothing<DXGK_OPERATION_FILL>>("PAGE-012"), "PAGE-012 ");
}
TEST_F(PagingFaults, PAGE003_PagesThatAreTooManyToReportAreNobodyElsesFault) {
  EXPECT_EQ(fired_in<DoesNothing<DXGK_OPERATION_FILL>>("PAGE-003"), "PAGE-012 ");
}
TEST_F(PagingFaults, PAGE005_ATransferThatEmitsNothingIsBlamedItself) {
  const std::string fired = fired_in<DoesNothing<DXGK_OPERATION_TRANSFER>>("PAGE-005");
  EXPECT_NE(fired.find("PAGE-005 "), std::string::npos) << fired;
}

// Counts on a buffer of its own for each operation.
struct BeginsAtTheStartOfTheBuffer final : Interposer {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    DXGKARG_SUBMITCOMMAND other = *submit;
    if (other.Flags.Paging) other.DmaBufferSubmissionStartOffset = 0;
    return Interposer::SubmitCommand(adapter, &other);
  }
};

TEST_F(PagingFaults, SUBMIT002_ThePartOfAPagingBufferIsFetchedAlone) {
  const std::string fired = fired_in<BeginsAtTheStartOfTheBuffer>("PAGE-001");
  EXPECT_NE(fired.find("SUBMIT-002 "), std::string::npos) << fired;
}

// Has done a Fill as soon as it had no room for it.
struct LosesWhatDoesNotFit final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_FILL && refused) {
      refused = false;
      return STATUS_SUCCESS;
    }
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    refused = build->Operation == DXGK_OPERATION_FILL &&
              status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    return status;
  }
  bool refused = false;
};

TEST_F(PagingFaults, PAGE003_AFillIsNotLostBetweenTwoBuffers) {
  const std::string fired = fired_in<LosesWhatDoesNotFit>("PAGE-001");
  EXPECT_NE(fired.find("PAGE-003 "), std::string::npos) << fired;
}

template <bool kUntilIdle>
struct IsBusy final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_TRANSFER &&
        !(kUntilIdle && build->Transfer.Flags.AllocationIsIdle)) {
      return STATUS_GRAPHICS_ALLOCATION_BUSY;
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

TEST_F(PagingFaults, PAGE002_ADriverMayWantIdleAllocations) {
  EXPECT_EQ(fired_in<IsBusy<true>>("PAGE-005"), "");
}
TEST_F(PagingFaults, PAGE002_AnIdleAllocationIsNotBusy) {
  const std::string fired = fired_in<IsBusy<false>>("PAGE-005");
  EXPECT_NE(fired.find("PAGE-002 "), std::string::npos) << fired;
}

// Takes pages that follow each other for one run, and looks from the begin of the MDL which do.
struct LooksForRunsFromTheFirst final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const auto& asked = build->Transfer;
    const bool transfer = build->Operation == DXGK_OPERATION_TRANSFER;
    if (!transfer || (asked.Source.SegmentId != 0 && asked.Destination.SegmentId != 0)) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    MDL* const mdl = asked.Source.SegmentId == 0 ? asked.Source.pMdl : asked.Destination.pMdl;
    PFN_NUMBER* const frames = MmGetMdlPfnArray(mdl);
    const std::size_t first = asked.MdlOffset, pages = asked.TransferSize / PAGE_SIZE;
    const std::vector<PFN_NUMBER> given(frames, frames + first + pages);
    for (std::size_t i = 1; i < pages; ++i) {
      if (given[i - 1] + 1 == given[i]) frames[first + i] = frames[first + i - 1] + 1;
    }
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    std::copy(given.begin(), given.end(), frames);
    return status;
  }
};

TEST_F(PagingFaults, PAGE006_RunsOfPagesAreThoseBehindMdlOffset) {
  const std::string fired = fired_in<LooksForRunsFromTheFirst>("PAGE-006");
  EXPECT_NE(fired.find("PAGE-006 "), std::string::npos) << fired;
}

// -- of Swizzled allocations

class SwizzleFaults : public PagingFaults {
 protected:
  template <class Kind>
  std::string fired() {
    return fired_in<Kind>("PAGE-010", settings_of("Swizzled=1"));
  }
};

template <bool kIn, bool kOut>
struct DoesNotConvert final : Interposer {
  // Whose tiles are in order has no range that puts them in order.
  NTSTATUS AcquireSwizzlingRange(HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE* range) override {
    return kIn && kOut ? STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED
                       : Interposer::AcquireSwizzlingRange(adapter, range);
  }
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_TRANSFER) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    const DXGK_TRANSFERFLAGS asked = build->Transfer.Flags;
    if (kIn) build->Transfer.Flags.Swizzle = 0;
    if (kOut) build->Transfer.Flags.Unswizzle = 0;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    build->Transfer.Flags = asked;
    return status;
  }
};

TEST_F(SwizzleFaults, PAGE010_WhatComesBackIsSwizzledAgain) {
  EXPECT_EQ((fired<DoesNotConvert<true, false>>()), "PAGE-010 ");
}
TEST_F(SwizzleFaults, PAGE010_WhatLeavesIsUnswizzled) {
  EXPECT_EQ((fired<DoesNotConvert<false, true>>()), "PAGE-010 ");
}
TEST_F(SwizzleFaults, PAGE010_ADriverWhoseTilesAreInOrderMayDoNothing) {
  EXPECT_EQ((fired<DoesNotConvert<true, true>>()), "");
}

// The second half of an allocation is another level of a texture.
struct ConvertsTheFirstLevelOnly final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    auto& transfer = build->Transfer;
    const bool out = build->Operation == DXGK_OPERATION_TRANSFER && transfer.Flags.Unswizzle != 0;
    const SIZE_T pages = out ? transfer.TransferSize / PAGE_SIZE : 0;
    if (pages < 4) return Interposer::BuildPagingBuffer(adapter, build);
    // Its last pages change places with each other once more.
    PFN_NUMBER* const frames = MmGetMdlPfnArray(transfer.Destination.pMdl);
    std::swap(frames[pages - 1], frames[pages - 2]);
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    std::swap(frames[pages - 1], frames[pages - 2]);
    return status;
  }
};

TEST_F(SwizzleFaults, PAGE010_AllLevelsAreConverted) {
  EXPECT_EQ(fired<ConvertsTheFirstLevelOnly>(), "PAGE-010 ");
}

struct ShowsOtherPages final : Interposer {
  NTSTATUS AcquireSwizzlingRange(HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE* range) override {
    const NTSTATUS status = Interposer::AcquireSwizzlingRange(adapter, range);
    range->CPUTranslatedAddress.QuadPart += PAGE_SIZE;
    return status;
  }
};

TEST_F(SwizzleFaults, PAGE010_WhatLeavesIsWhatTheRangeShowed) {
  EXPECT_EQ(fired<ShowsOtherPages>(), "PAGE-010 ");
}

// There is one window, and it shows what was locked last.
struct AllRangesAreTheFirst final : Interposer {
  NTSTATUS AcquireSwizzlingRange(HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE* range) override {
    const UINT asked = std::exchange(range->RangeId, 0);
    const NTSTATUS status = Interposer::AcquireSwizzlingRange(adapter, range);
    range->RangeId = asked;
    return status;
  }
  NTSTATUS ReleaseSwizzlingRange(HANDLE adapter,
                                 const DXGKARG_RELEASESWIZZLINGRANGE* range) override {
    DXGKARG_RELEASESWIZZLINGRANGE first = *range;
    first.RangeId = 0;
    return Interposer::ReleaseSwizzlingRange(adapter, &first);
  }
};

TEST_F(SwizzleFaults, PAGE010_EachRangeIsAViewOfItsOwn) {
  const std::string fired = this->fired<AllRangesAreTheFirst>();
  EXPECT_NE(fired.find("PAGE-010 "), std::string::npos) << fired;
}

// What was locked earlier is no longer looked at.
struct ReleasesAllRanges final : Interposer {
  NTSTATUS ReleaseSwizzlingRange(HANDLE adapter,
                                 const DXGKARG_RELEASESWIZZLINGRANGE* range) override {
    DXGKARG_RELEASESWIZZLINGRANGE other = *range;
    other.RangeId = range->RangeId == 0 ? 1 : 0;
    static_cast<void>(Interposer::ReleaseSwizzlingRange(adapter, &other));
    return Interposer::ReleaseSwizzlingRange(adapter, range);
  }
};

TEST_F(SwizzleFaults, PAGE010_ARangeLastsUntilItIsReleasedItself) {
  const std::string fired = this->fired<ReleasesAllRanges>();
  EXPECT_NE(fired.find("PAGE-010 "), std::string::npos) << fired;
}

// A GPU whose only range is in use.
struct HasOneRangeAtATime final : Interposer {
  NTSTATUS AcquireSwizzlingRange(HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE* range) override {
    if (in_use_) return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE;
    const NTSTATUS status = Interposer::AcquireSwizzlingRange(adapter, range);
    in_use_ = NT_SUCCESS(status);
    return status;
  }
  NTSTATUS ReleaseSwizzlingRange(HANDLE adapter,
                                 const DXGKARG_RELEASESWIZZLINGRANGE* range) override {
    in_use_ = false;
    return Interposer::ReleaseSwizzlingRange(adapter, range);
  }
  bool in_use_ = false;
};

TEST_F(SwizzleFaults, PAGE010_ARangeMayBeUnavailableWhileAnotherIsInUse) {
  EXPECT_EQ(fired<HasOneRangeAtATime>(), "");
}

// Only what is transferred at once is put in another order.
struct PartsStayAsTheyAre final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const DXGK_TRANSFERFLAGS asked = build->Transfer.Flags;
    if (build->Operation == DXGK_OPERATION_TRANSFER &&
        (asked.TransferStart == 0 || asked.TransferEnd == 0)) {
      build->Transfer.Flags.Swizzle = build->Transfer.Flags.Unswizzle = 0;
      const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
      build->Transfer.Flags = asked;
      return status;
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

TEST_F(SwizzleFaults, PAGE010_WhatGoesInPartsIsConvertedAsAWhole) {
  const std::string fired = this->fired<PartsStayAsTheyAre>();
  EXPECT_NE(fired.find("PAGE-010 "), std::string::npos) << fired;
}

// As where the GPU puts what the CPU reads in order, which nobody sees here.
struct ShowsWhatIsStored final : Interposer {
  NTSTATUS AcquireSwizzlingRange(HANDLE, DXGKARG_ACQUIRESWIZZLINGRANGE*) override {
    return STATUS_SUCCESS;
  }
};

TEST_F(SwizzleFaults, PAGE010_ARangeInTheSegmentItselfTellsNothing) {
  EXPECT_EQ(fired<ShowsWhatIsStored>(), "");
}

// -- under a lock by an alternate address

TEST_F(PagingFaults, PAGE017_ASpecialLockTransferThatEmitsNothingIsBlamedItself) {
  const std::string fired = fired_in<DoesNothing<DXGK_OPERATION_SPECIAL_LOCK_TRANSFER>>("PAGE-017");
  EXPECT_NE(fired.find("PAGE-017 "), std::string::npos) << fired;
}

struct KnowsNoSpecialLock final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER) return STATUS_NOT_SUPPORTED;
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

TEST_F(PagingFaults, PAGE002_ASpecialLockTransferIsNotRefused) {
  const std::string fired = fired_in<KnowsNoSpecialLock>("PAGE-017");
  EXPECT_NE(fired.find("PAGE-002 "), std::string::npos) << fired;
  EXPECT_EQ(fired.find("PAGE-017 "), std::string::npos) << fired;
}

// ... but it may wait until nobody uses the allocation.
struct WantsItIdle final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER &&
        !build->SpecialLockTransfer.Flags.AllocationIsIdle) {
      return STATUS_GRAPHICS_ALLOCATION_BUSY;
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

TEST_F(PagingFaults, PAGE002_ALockedAllocationMayBeBusy) {
  EXPECT_EQ(fired_in<WantsItIdle>("PAGE-017"), "");
}

struct ShowsTheNextPage final : Interposer {
  NTSTATUS AcquireSwizzlingRange(HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE* range) override {
    const NTSTATUS status = Interposer::AcquireSwizzlingRange(adapter, range);
    range->CPUTranslatedAddress.QuadPart += PAGE_SIZE;
    return status;
  }
};

TEST_F(PagingFaults, PAGE017_WhatTheRangeShowedIsWhatCounts) {
  const std::string fired = fired_in<ShowsTheNextPage>("PAGE-017");
  EXPECT_NE(fired.find("PAGE-017 "), std::string::npos) << fired;
}

TEST_F(PagingFaults, PAGE017_WithoutUseAlternateVaItNeverComes) {
  EXPECT_TRUE(run(scenario_of(find_rule("PAGE-017")->scenario)).failures.empty());
  const Trace& trace = replayer_.trace();
  for (const std::uint32_t index : trace.of<ev::PagingBuilt>()) {
    EXPECT_NE(trace.at<ev::PagingBuilt>(index).operation, DXGK_OPERATION_SPECIAL_LOCK_TRANSFER);
  }
  for (const std::uint32_t index : trace.of<ev::DdiEntered>()) {
    EXPECT_NE(trace.at<ev::DdiEntered>(index).ddi,
              static_cast<std::uint32_t>(DdiId::AcquireSwizzlingRange));
  }
}

struct HearsNoMaps final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) {
      build->MapApertureSegment.hAllocation = nullptr;
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

TEST_F(PagingFaults, VPAGE011_WhatTheApertureShowsElsewhereIsNotUsedThere) {
  const std::string fired = fired_in<HearsNoMaps>(
      "VPAGE-011", settings_of("Addressing=1,PageTableUpdateMode=2,ContextAllocations=2"));
  EXPECT_NE(fired.find("VPAGE-011 "), std::string::npos) << fired;
}

struct UpdatesElsewhere final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION) {
      build->UpdateContextAllocation.ContextAllocation += 64 << 20;
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

// The thread that waits for the update is in the driver: it leaves it before the reset.
TEST_F(PagingFaults, VPAGE009_AnUpdateThatFaultsIsNoFaultOfTheHost) {
  const std::string fired = fired_in<UpdatesElsewhere>("VPAGE-009");
  EXPECT_FALSE(replayer_.trace().of<ev::AdapterReset>().empty());
  EXPECT_EQ(fired.find("IRQL-003 "), std::string::npos) << fired;
}

}  // namespace
}  // namespace wddm::harness
