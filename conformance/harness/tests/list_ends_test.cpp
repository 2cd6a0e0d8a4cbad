// Drivers that read one element more of a list than it has.
#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

class ListEnds : public ReplayTest {};

struct UnmapsOneMore final : Interposer {
  NTSTATUS UnmapCpuHostAperture(HANDLE adapter,
                                const DXGKARG_UNMAPCPUHOSTAPERTURE* unmap) override {
    DXGKARG_UNMAPCPUHOSTAPERTURE more = *unmap;
    ++more.NumberOfPages;
    return Interposer::UnmapCpuHostAperture(adapter, &more);
  }
};

TEST_F(ListEnds, OfPagesToUnmapFromAHostAperture) {
  EXPECT_TRUE(fires<UnmapsOneMore>("APER-006"));
}

struct MapsOneMore final : Interposer {
  NTSTATUS MapCpuHostAperture(HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE* map) override {
    DXGKARG_MAPCPUHOSTAPERTURE more = *map;
    ++more.NumberOfPages;
    return Interposer::MapCpuHostAperture(adapter, &more);
  }
};

TEST_F(ListEnds, OfPagesToMapIntoAHostAperture) {
  EXPECT_TRUE(fires<MapsOneMore>("PT-021"));
}

// A list is taken to have as many elements as there are entries to write.
struct ReadsWhatRepeats final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    auto& flags = build->UpdatePageTable.Flags;
    const auto asked = flags;
    flags.Repeat = 0;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    flags = asked;
    return status;
  }
};

TEST_F(ListEnds, OfOneEntryThatRepeats) {
  EXPECT_TRUE(fires<ReadsWhatRepeats>("PT-009", Configured::GpuVirtual));
  EXPECT_TRUE(fires<ReadsWhatRepeats>("PT-009", Configured::GpuVirtualUpdates));
}

}  // namespace
}  // namespace wddm::harness
