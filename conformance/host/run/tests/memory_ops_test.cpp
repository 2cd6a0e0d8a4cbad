// Requests of a scenario to VidMm: each by its name, in the order of the ops.
#include "conformance/host/tests/play_fixture.h"

namespace wddm::host {
namespace {

class MemoryOps : public PlayTest {
 protected:
  std::vector<std::uint32_t> built() const {
    std::vector<std::uint32_t> all;
    for (const ev::PagingBuilt& call : seen<ev::PagingBuilt>()) all.push_back(call.operation);
    return all;
  }
};

TEST_F(MemoryOps, PageInTheOrderOfTheOps) {
  play({op(OpKind::CreateAllocation, 0, 0, 0, 1), op(OpKind::MakeResident, 0),
        op(OpKind::FillMemory, 0), op(OpKind::Discard, 0), op(OpKind::Move, 0),
        op(OpKind::Evict, 0)});
  EXPECT_EQ(skipped(), Calls{});
  EXPECT_EQ(ops_of<ev::PagingBuilt>(), (std::vector<std::uint16_t>{1, 2, 3, 4, 4, 5}));
  EXPECT_EQ(built(),
            (std::vector<std::uint32_t>{DXGK_OPERATION_FILL, DXGK_OPERATION_FILL,
                                        DXGK_OPERATION_DISCARD_CONTENT, DXGK_OPERATION_TRANSFER,
                                        DXGK_OPERATION_TRANSFER, DXGK_OPERATION_TRANSFER}));
}

TEST_F(MemoryOps, PagesOfSegmentsAreNamedByThemselves) {
  Op transfer = op(OpKind::TransferSegments, 1, 1, 0, 0);
  transfer.y = 4;
  transfer.z = 2;
  Op map = op(OpKind::MapAperture, 0, 0, 0, 3);
  map.y = 2;
  play({transfer, map, op(OpKind::UnmapAperture, 0, 0, 0, 3)});
  EXPECT_EQ(skipped(), Calls{});
  EXPECT_EQ(built(), (std::vector<std::uint32_t>{DXGK_OPERATION_TRANSFER,
                                                 DXGK_OPERATION_MAP_APERTURE_SEGMENT,
                                                 DXGK_OPERATION_UNMAP_APERTURE_SEGMENT}));
}

TEST_F(MemoryOps, WhatVidMmRefusesIsSkippedWithItsReason) {
  play({op(OpKind::CreateAllocation, 0, 0, 0, 1), op(OpKind::Evict, 0), op(OpKind::CpuWrite, 0)});
  EXPECT_EQ(skipped(), Calls{"evict: it is not resident"}) << "the CPU writes to system memory";
}

}  // namespace
}  // namespace wddm::host
