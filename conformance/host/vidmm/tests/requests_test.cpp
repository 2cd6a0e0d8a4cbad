// Each request: what VidMm pages for it, or why it is not done.
#include "conformance/host/vidmm/requests.h"

#include "conformance/host/tests/vidmm_fixture.h"

namespace wddm::host {
namespace {

constexpr AllocationId kNoSuch{9};

class RequestsTest : public VidMmTest {
 protected:
  /// An allocation of 2 pages in kSlot.
  template <class Body>
  void with_slot(Body body) {
    page_by_gpu();
    with({{kSlot, 2}}, body);
  }
  /// Asks VidMm, and lets the GPU do what follows from it.
  void ask(World& world, Request request, const Op& op) {
    driver.built.clear();
    world.vidmm.enqueue(request, op);
    complete_all(world.vidsch, driver);
  }
  static Op of(AllocationId id) {
    Op op;
    op.a = static_cast<std::uint8_t>(id.value);
    return op;
  }
  /// Within the segment of memory.
  static Op transfer(std::uint32_t from_page, std::uint32_t to_page, std::uint32_t pages) {
    Op op;
    op.a = op.b = static_cast<std::uint8_t>(kLocal.value);
    op.x = from_page;
    op.y = to_page;
    op.z = pages;
    return op;
  }
  static Op mapping(std::uint32_t page, std::uint32_t pages) {
    Op op;
    op.x = page;
    op.y = pages;
    return op;
  }
  Calls reasons() const { return texts<ev::OpSkipped>(); }
  using Operations = std::vector<std::uint32_t>;
};

TEST_F(RequestsTest, ResidencyComesAndGoes) {
  with_slot([&](World& world) {
    ask(world, requests::make_resident, of(kSlot));
    EXPECT_EQ(built(), Operations{DXGK_OPERATION_FILL});
    EXPECT_NE(world.residency.planned(kSlot), PlaceInSegment{});
    ask(world, requests::move, of(kSlot));
    EXPECT_EQ(built(), (Operations{DXGK_OPERATION_TRANSFER, DXGK_OPERATION_TRANSFER}));
    ask(world, requests::evict, of(kSlot));
    EXPECT_EQ(world.residency.planned(kSlot), PlaceInSegment{});
  });
  EXPECT_EQ(reasons(), Calls{});
}

TEST_F(RequestsTest, WhatTheCpuWroteBeforeAnyUseIsBroughtIn) {
  with_slot([&](World& world) {
    world.vidmm.cpu_wrote(kSlot);
    ask(world, requests::make_resident, of(kSlot));
    EXPECT_EQ(built(), Operations{DXGK_OPERATION_TRANSFER});
  });
}

// A driver may program an aperture while it builds.
TEST_F(RequestsTest, WhatShowsATransferIsUnmappedBehindIt) {
  driver.eviction_set = 2;  // the aperture
  with_slot([&](World& world) {
    ask(world, requests::make_resident, of(kSlot));
    driver.built.clear();
    world.vidmm.enqueue(requests::evict, of(kSlot));
    nt::settle();
    EXPECT_EQ(built(), (Operations{DXGK_OPERATION_MAP_APERTURE_SEGMENT, DXGK_OPERATION_TRANSFER}));
    complete_all(world.vidsch, driver);
    EXPECT_EQ(built().back(), std::uint32_t{DXGK_OPERATION_UNMAP_APERTURE_SEGMENT});
  });
  EXPECT_EQ(reasons(), Calls{});
}

TEST_F(RequestsTest, WhatTheOracleRefusesHasItsReason) {
  with_slot([&](World& world) {
    ask(world, requests::evict, of(kSlot));
    ask(world, requests::make_resident, of(kNoSuch));
    EXPECT_TRUE(built().empty());
  });
  EXPECT_EQ(reasons(), (Calls{"it is not resident", "VidMm does not know the allocation"}));
}

TEST_F(RequestsTest, RequestWaitsForEarlierPackets) {
  with_slot([&](World& world) {
    world.vidmm.enqueue(requests::make_resident, of(kSlot));
    world.vidmm.enqueue(requests::fill_memory, of(kSlot));
    nt::settle();
    EXPECT_EQ(driver.built.size(), 1u);
    complete_packet(world.vidsch, driver);
    EXPECT_EQ(driver.built.size(), 2u);
    complete_all(world.vidsch, driver);
  });
}

TEST_F(RequestsTest, FillAndDiscardNeedAnAllocationInASegment) {
  with_slot([&](World& world) {
    ask(world, requests::fill_memory, of(kSlot));
    ask(world, requests::discard, of(kSlot));
    EXPECT_TRUE(built().empty());
    ask(world, requests::make_resident, of(kSlot));
    ask(world, requests::fill_memory, of(kSlot));
    EXPECT_EQ(built(), Operations{DXGK_OPERATION_FILL});
    ask(world, requests::discard, of(kSlot));
    EXPECT_EQ(built(), Operations{DXGK_OPERATION_DISCARD_CONTENT});
  });
  EXPECT_EQ(reasons(), (Calls{"Fill needs an allocation that lies in a memory segment",
                              "it is not resident"}));
}

// Nothing is ever filled there by a Fill.
TEST_F(RequestsTest, WithoutMemorySegmentsTheCpuWritesThePattern) {
  driver.segments[0].Flags.Aperture = 1;
  with_slot([&](World& world) {
    ask(world, requests::make_resident, of(kSlot));
    Op fill = of(kSlot);
    fill.z = 0x11223344;
    ask(world, requests::fill_memory, fill);
    EXPECT_TRUE(built().empty());
    EXPECT_EQ(world.memory.word(kSlot, 0), 0x11223344u);
    EXPECT_EQ(world.memory.word(kSlot, 8188), 0x11223344u);
  });
  EXPECT_EQ(reasons(), Calls{});
}

TEST_F(RequestsTest, CpuWritesWhereItSees) {
  with_slot([&](World& world) {
    Op write = of(kSlot);
    write.x = 4096;
    write.z = 0x11223344;
    ask(world, requests::cpu_write, write);
    EXPECT_EQ(world.memory.word(kSlot, 4096), 0x11223344u);
    write.x = 2 * 4096;
    ask(world, requests::cpu_write, write);
  });
  EXPECT_EQ(reasons(), Calls{"the CPU cannot write there"}) << "behind the end";
}

TEST_F(RequestsTest, TransferGoesBetweenPagesOfSegments) {
  with_slot([&](World& world) {
    ask(world, requests::transfer_segments, transfer(0, 4, 2));
    EXPECT_EQ(built(), Operations{DXGK_OPERATION_TRANSFER});
    ask(world, requests::transfer_segments, transfer(0, 1, 2));
    ask(world, requests::transfer_segments, transfer(0, FakeDriver::kLocalPages - 1, 2));
    EXPECT_TRUE(built().empty());
  });
  EXPECT_EQ(reasons(), (Calls{"the places overlap: what a Transfer makes of that is not laid down",
                              "the pages are not in the segments"}));
}

TEST_F(RequestsTest, TransferGoesToAnApertureThatAllocationsMayLieIn) {
  Op to_aperture = transfer(0, 4, 2);
  to_aperture.b = static_cast<std::uint8_t>(kAperture.value);
  with_slot([&](World& world) {
    ask(world, requests::transfer_segments, to_aperture);
    EXPECT_TRUE(built().empty()) << "the aperture is for DMA buffers alone";
    driver.segment_set = 3;
    ASSERT_NO_FATAL_FAILURE(create(world, {AllocationId{3}, 1}));
    ask(world, requests::transfer_segments, to_aperture);
    EXPECT_TRUE(built().empty()) << "by now it is for allocations too";
  });
  EXPECT_EQ(reasons(),
            (Calls{"the driver lets no allocation lie in the aperture or be evicted to it",
                   "where pages of an aperture lead that were never mapped, or unmapped before a "
                   "loss of power, nobody knows"}));
}

TEST_F(RequestsTest, TransferKeepsAwayFromTheMarker) {
  with_slot([&](World& world) {
    ASSERT_NO_FATAL_FAILURE(create(world, {kMarkerAllocation, 1}));
    world.residency.plan(step(vidmm::StepKind::Fill, kMarkerAllocation, kLocal, 5, 1));
    ask(world, requests::transfer_segments, transfer(0, 4, 2));
    EXPECT_TRUE(built().empty());
    ask(world, requests::transfer_segments, transfer(0, 6, 2));
    EXPECT_EQ(driver.built.size(), 1u);
  });
  EXPECT_EQ(reasons(), Calls{"the words that tell whether packets have run lie there"});
}

TEST_F(RequestsTest, AperturePagesAreMappedOnceAndUnmapped) {
  with_slot([&](World& world) {
    ask(world, requests::map_aperture, mapping(3, 2));
    EXPECT_EQ(built(), Operations{DXGK_OPERATION_MAP_APERTURE_SEGMENT});
    ask(world, requests::map_aperture, mapping(4, 2));
    ask(world, requests::unmap_aperture, mapping(4, 0));
    EXPECT_TRUE(built().empty());
    ask(world, requests::unmap_aperture, mapping(3, 0));
    EXPECT_EQ(built(), Operations{DXGK_OPERATION_UNMAP_APERTURE_SEGMENT});
    ask(world, requests::map_aperture, mapping(4, 2));
    EXPECT_EQ(driver.built.size(), 1u) << "they are free again";
  });
  EXPECT_EQ(reasons(), (Calls{"the pages are not free, or there are not so many in a row",
                              "nothing was mapped there"}));
}

TEST_F(RequestsTest, MappingNeedsAnApertureSegment) {
  driver.segments.pop_back();
  with_slot([&](World& world) { ask(world, requests::map_aperture, mapping(0, 1)); });
  EXPECT_EQ(reasons(), Calls{"there is no aperture segment with these pages"});
}

TEST_F(RequestsTest, AllocationThatGoesLeavesItsAperture) {
  driver.segment_set = driver.preferred_segment = 2;
  with_slot([&](World& world) {
    ask(world, requests::make_resident, of(kSlot));
    EXPECT_EQ(built(), Operations{DXGK_OPERATION_MAP_APERTURE_SEGMENT});
    driver.built.clear();
    world.vidmm.enqueue_destruction(kSlot);
    complete_all(world.vidsch, driver);
    EXPECT_EQ(built(), Operations{DXGK_OPERATION_UNMAP_APERTURE_SEGMENT});
  });
}

// The driver is in BuildPagingBuffer for the Transfer out when the adapter is reset.
TEST_F(RequestsTest, ResetEndsTheRequestAtHandAndThoseBehindIt) {
  with_slot([&](World& world) {
    ask(world, requests::make_resident, of(kSlot));
    driver.built.clear();
    driver.builds = [&](DXGKARG_BUILDPAGINGBUFFER&) {
      world.vidmm.abandon();
      world.vidsch.reset();
      return STATUS_SUCCESS;
    };
    world.vidmm.enqueue(requests::move, of(kSlot));
    world.vidmm.enqueue(requests::evict, of(kSlot));
    nt::settle();
    EXPECT_EQ(driver.built.size(), 1u) << "of two Transfers for the move";
    EXPECT_EQ(world.vidmm.jobs(), 0u);
  });
  EXPECT_EQ(seen<ev::PagingDone>().size(), 1u) << "that of make_resident";
}

}  // namespace
}  // namespace wddm::host
