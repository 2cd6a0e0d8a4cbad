// Which DDI is told of paging with GPU virtual addresses: SubmitCommandVirtual, but for what
// reaches nothing by address where the paging process has none.
#include <algorithm>

#include "conformance/host/tests/host_fixture.h"
#include "conformance/host/tests/packets.h"

namespace wddm::host {
namespace {

class PagingByPlaceTest : public HostTest {
 protected:
  PagingByPlaceTest() { driver.use_gpu_mmu(); }
  void has_apertures_alone() {
    driver.segments[0].Flags.Aperture = 1;
    for (auto& level : driver.page_table_levels) {
      level.PageTableSegmentId = 0;
      level.PagingProcessPageTableSegmentId = 0;
    }
  }
  /// A packet of one operation is submitted.
  void submits(DXGK_BUILDPAGINGBUFFER_OPERATION operation) {
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      driver.calls.clear();
      auto carried_out = paging_of(kNoAllocation);
      carried_out->args.Operation = operation;
      Packet packet;
      packet.ordinal = {8};
      packet.fence = {12};
      packet.submissions = 1;
      packet.work = PagingWork{paging_buffer(std::move(carried_out))};
      place_ = packet.dma().physical_address();
      world.addressing.submit(packet);
    });
  }
  std::ptrdiff_t times(const char* call) const {
    return std::count(driver.calls.begin(), driver.calls.end(), call);
  }

  std::uint64_t place_ = 0;
};

TEST_F(PagingByPlaceTest, ThePagingProcessHasAddressesForLocalMemory) {
  submits(DXGK_OPERATION_MAP_APERTURE_SEGMENT);
  EXPECT_EQ(times("SubmitCommandVirtual"), 1);
  EXPECT_TRUE(driver.submitted.empty());
}

TEST_F(PagingByPlaceTest, WithoutLocalMemoryABufferIsNamedByItsPlaceAndHasNoContext) {
  has_apertures_alone();
  submits(DXGK_OPERATION_MAP_APERTURE_SEGMENT);
  EXPECT_EQ(times("SubmitCommandVirtual"), 0);
  ASSERT_EQ(driver.submitted.size(), 1u);
  const DXGKARG_SUBMITCOMMAND& args = driver.submitted[0];
  EXPECT_EQ(args.hContext, nullptr);
  EXPECT_EQ(static_cast<std::uint64_t>(args.DmaBufferPhysicalAddress.QuadPart), place_);
  EXPECT_EQ(args.DmaBufferSubmissionEndOffset, 32u);
  EXPECT_EQ(args.SubmissionFenceId, 12u);
  EXPECT_TRUE(args.Flags.Paging);
  EXPECT_EQ(seen<ev::Submitted>().at(0).paging, 1u);
}

TEST_F(PagingByPlaceTest, WhatReachesMemoryByAddressGoesTheOtherWay) {
  has_apertures_alone();
  submits(DXGK_OPERATION_UPDATE_PAGE_TABLE);
  EXPECT_EQ(times("SubmitCommandVirtual"), 1);
  EXPECT_TRUE(driver.submitted.empty());
}

}  // namespace
}  // namespace wddm::host
