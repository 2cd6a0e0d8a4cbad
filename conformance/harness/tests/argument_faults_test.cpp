// Drivers that leave a member of what they are asked aside, or take one for its neighbour: the
// clause that says what the member means fires in its own scenario.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"
#include "reference/types.h"

namespace wddm::harness {
namespace {

class ArgumentFaults : public ReplayTest {};

/// Passes all calls for operations of a kind through one method.
template <DXGK_BUILDPAGINGBUFFER_OPERATION kOperation>
struct Altered : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != kOperation) return Interposer::BuildPagingBuffer(adapter, build);
    DXGKARG_BUILDPAGINGBUFFER altered = *build;
    alter(altered);
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, &altered);
    build->pDmaBuffer = altered.pDmaBuffer;
    build->pDmaBufferPrivateData = altered.pDmaBufferPrivateData;
    build->MultipassOffset = altered.MultipassOffset;
    return status;
  }
  virtual void alter(DXGKARG_BUILDPAGINGBUFFER& build) = 0;
};

// -- pages of a TransferVirtual

using OfTransferVirtual = Altered<DXGK_OPERATION_VIRTUAL_TRANSFER>;

// One side is system memory in every transfer that this driver knows.
struct SourceDecidesAlone final : OfTransferVirtual {
  void alter(DXGKARG_BUILDPAGINGBUFFER& build) override {
    auto& flags = build.TransferVirtual.Flags;
    if (flags.Src64KBPages != 0) flags.Dst64KBPages = 0;
  }
};
struct DestinationDecidesAlone final : OfTransferVirtual {
  void alter(DXGKARG_BUILDPAGINGBUFFER& build) override {
    auto& flags = build.TransferVirtual.Flags;
    if (flags.Dst64KBPages != 0) flags.Src64KBPages = 0;
  }
};
struct BothOrNeither final : OfTransferVirtual {
  void alter(DXGKARG_BUILDPAGINGBUFFER& build) override {
    auto& transfer = build.TransferVirtual;
    if (transfer.TransferDirection != DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL) return;
    transfer.Flags.Src64KBPages = transfer.Flags.Dst64KBPages =
        transfer.Flags.Src64KBPages | transfer.Flags.Dst64KBPages;
  }
};

TEST_F(ArgumentFaults, TheSourceOfATransferDecidesOnThePagesOfBoth) {
  EXPECT_TRUE(fires<SourceDecidesAlone>("PGSZ-012"));
}
TEST_F(ArgumentFaults, TheDestinationOfATransferDecidesOnThePagesOfBoth) {
  EXPECT_TRUE(fires<DestinationDecidesAlone>("PGSZ-012"));
}
TEST_F(ArgumentFaults, WithinMemoryAllPagesAreTakenForOneSize) {
  EXPECT_TRUE(fires<BothOrNeither>("PGSZ-012"));
}

// -- offsets of a Transfer

using OfTransfer = Altered<DXGK_OPERATION_TRANSFER>;

// As much of a size as an MDL has pages for behind an offset in it: what lies behind is anything.
SIZE_T within(const MDL* mdl, UINT first_page, SIZE_T size) {
  const SIZE_T bytes = MmGetMdlByteCount(mdl), before = first_page * kPageSize;
  return std::min<SIZE_T>(size, bytes > before ? bytes - before : 0);
}

// The page that TransferOffset leads to, whatever MdlOffset says.
struct MdlFromTransferOffset final : OfTransfer {
  void alter(DXGKARG_BUILDPAGINGBUFFER& build) override {
    auto& transfer = build.Transfer;
    const bool from = transfer.Source.SegmentId == 0, to = transfer.Destination.SegmentId == 0;
    if (!from && !to) return;
    transfer.MdlOffset = static_cast<UINT>(transfer.TransferOffset / kPageSize);
    transfer.TransferSize = within(from ? transfer.Source.pMdl : transfer.Destination.pMdl,
                                   transfer.MdlOffset, transfer.TransferSize);
  }
};
struct SegmentFromMdlOffset final : OfTransfer {
  void alter(DXGKARG_BUILDPAGINGBUFFER& build) override {
    auto& transfer = build.Transfer;
    transfer.TransferOffset = static_cast<UINT>(transfer.MdlOffset * kPageSize);
  }
};

TEST_F(ArgumentFaults, TransferOffsetIsTakenForMdlOffset) {
  EXPECT_TRUE(fires<MdlFromTransferOffset>("PAGE-006"));
}
TEST_F(ArgumentFaults, MdlOffsetIsTakenForTransferOffset) {
  EXPECT_TRUE(fires<SegmentFromMdlOffset>("PAGE-006"));
}

// -- pages of an MDL

// The last one first, for as long as the driver looks.
template <DXGK_BUILDPAGINGBUFFER_OPERATION kOperation>
struct PagesInReverse : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const std::span<PFN_NUMBER> pages =
        build->Operation == kOperation ? pages_of(*build) : std::span<PFN_NUMBER>();
    std::reverse(pages.begin(), pages.end());
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    std::reverse(pages.begin(), pages.end());
    return status;
  }
  virtual std::span<PFN_NUMBER> pages_of(const DXGKARG_BUILDPAGINGBUFFER& build) = 0;
};
struct TransfersInReverse final : PagesInReverse<DXGK_OPERATION_TRANSFER> {
  std::span<PFN_NUMBER> pages_of(const DXGKARG_BUILDPAGINGBUFFER& build) override {
    const auto& transfer = build.Transfer;
    if (transfer.Source.SegmentId != 0 && transfer.Destination.SegmentId != 0) return {};
    MDL* const mdl =
        transfer.Source.SegmentId == 0 ? transfer.Source.pMdl : transfer.Destination.pMdl;
    return {MmGetMdlPfnArray(mdl) + transfer.MdlOffset, transfer.TransferSize / kPageSize};
  }
};
struct MapsInReverse final : PagesInReverse<DXGK_OPERATION_MAP_APERTURE_SEGMENT> {
  std::span<PFN_NUMBER> pages_of(const DXGKARG_BUILDPAGINGBUFFER& build) override {
    const auto& map = build.MapApertureSegment;
    return {MmGetMdlPfnArray(map.pMdl) + map.MdlOffset, map.NumberOfPages};
  }
};

struct ListedInReverse final : Altered<DXGK_OPERATION_MAP_APERTURE_SEGMENT2> {
  void alter(DXGKARG_BUILDPAGINGBUFFER& build) override {
    auto& map = build.MapApertureSegment2;
    if (map.Adl.Flags.Contiguous != 0) return;
    pages_.assign(map.Adl.Pages, map.Adl.Pages + map.Adl.PageCount);
    const auto first = pages_.begin() + map.AdlOffset;
    std::reverse(first, first + static_cast<std::ptrdiff_t>(map.NumberOfPages));
    map.Adl.Pages = pages_.data();
  }
  std::vector<DXGK_PAGE_NUMBER> pages_;
};

TEST_F(ArgumentFaults, ATransferTakesThePagesOfItsMdlInReverse) {
  EXPECT_TRUE(fires<TransfersInReverse>("PAGE-007"));
}
TEST_F(ArgumentFaults, AMapTakesThePagesOfItsMdlInReverse) {
  EXPECT_TRUE(fires<MapsInReverse>("PAGE-014"));
}
TEST_F(ArgumentFaults, AMapTakesThePagesOfItsListInReverse) {
  EXPECT_TRUE(fires<ListedInReverse>("PAGE-021"));
}

// -- parts of a SpecialLockTransfer

using OfSpecialLock = Altered<DXGK_OPERATION_SPECIAL_LOCK_TRANSFER>;

// A Transfer in all but its name, with the offset on both sides.
struct OffsetInTheMdlToo final : OfSpecialLock {
  void alter(DXGKARG_BUILDPAGINGBUFFER& build) override {
    const auto asked = build.SpecialLockTransfer;
    build.Operation = DXGK_OPERATION_TRANSFER;
    auto& transfer = build.Transfer;
    transfer.MdlOffset = static_cast<UINT>(asked.TransferOffset / kPageSize);
    const bool from = asked.Source.SegmentId == 0;
    transfer.TransferSize = within(from ? asked.Source.pMdl : asked.Destination.pMdl,
                                   transfer.MdlOffset, asked.TransferSize);
  }
};
struct EveryPartIsTheFirst final : OfSpecialLock {
  void alter(DXGKARG_BUILDPAGINGBUFFER& build) override {
    build.SpecialLockTransfer.TransferOffset = 0;
  }
};

TEST_F(ArgumentFaults, UnderALockTransferOffsetCountsInTheMdlToo) {
  EXPECT_TRUE(fires<OffsetInTheMdlToo>("PAGE-017"));
}
TEST_F(ArgumentFaults, UnderALockTransferOffsetIsLeftAside) {
  EXPECT_TRUE(fires<EveryPartIsTheFirst>("PAGE-017"));
}

// -- AllocationOffset

// What Render was told of an allocation, as it stands; Patch puts it right.
struct PrePatchedWithoutOffset final : Interposer {
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    auto* const dma = static_cast<std::uint8_t*>(render->pDmaBuffer);
    const D3DDDI_PATCHLOCATIONLIST* at = render->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Render(context, render);
    for (; at != render->pPatchLocationListOut; ++at) {
      if (at->AllocationIndex >= render->AllocationListSize) continue;
      const DXGK_ALLOCATIONLIST& entry = render->pAllocationList[at->AllocationIndex];
      if (entry.SegmentId == 0) continue;
      std::memcpy(dma + at->PatchOffset, &entry.PhysicalAddress, sizeof entry.PhysicalAddress);
    }
    return status;
  }
};
struct PatchedWithoutOffset final : Interposer {
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    std::vector<D3DDDI_PATCHLOCATIONLIST> list(
        patch->pPatchLocationList, patch->pPatchLocationList + patch->PatchLocationListSize);
    for (D3DDDI_PATCHLOCATIONLIST& element : list) element.AllocationOffset = 0;
    DXGKARG_PATCH altered = *patch;
    altered.pPatchLocationList = list.data();
    return Interposer::Patch(adapter, &altered);
  }
};

TEST_F(ArgumentFaults, RenderFillsInAddressesWithoutTheOffset) {
  EXPECT_TRUE(fires<PrePatchedWithoutOffset>("RENDER-006"));
}
TEST_F(ArgumentFaults, RenderFillsInAddressesWithoutTheOffsetAndNobodyPatches) {
  EXPECT_TRUE(fires<PrePatchedWithoutOffset>("SUBMIT-015", "NoDmaPatching=1"));
}
TEST_F(ArgumentFaults, PatchLeavesTheOffsetAside) {
  EXPECT_TRUE(fires<PatchedWithoutOffset>("PATCH-001"));
}

}  // namespace
}  // namespace wddm::harness
