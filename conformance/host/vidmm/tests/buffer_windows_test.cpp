// DMA buffers and paging buffers that an aperture shows: when they are mapped and unmapped, where
// they lie, and what the driver is told of it.
#include "conformance/host/vidmm/buffer_windows.h"

#include <algorithm>
#include <variant>

#include "conformance/host/tests/packets.h"
#include "conformance/host/tests/vidmm_fixture.h"
#include "conformance/host/vidmm/paging/buffer_operations.h"

namespace wddm::host {
namespace {

constexpr auto kLastPage = static_cast<std::uint32_t>(FakeDriver::kAperturePages - 1);
// Where paging buffers lie in the aperture too.
constexpr std::uint32_t kLastOfAllocations = kLastPage - FakeDriver::kAperturePages / 4;

class BufferWindowsTest : public VidMmTest {
 protected:
  using Operations = std::vector<std::uint32_t>;
  static constexpr std::uint32_t kMap = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
  static constexpr std::uint32_t kUnmap = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
  static constexpr std::uint32_t kFill = DXGK_OPERATION_FILL;

  /// Context 0 of a driver whose DMA buffers lie in the aperture.
  template <class Body>
  void with_context(Body body) {
    driver.dma_segments = 2;
    with({}, [&](World& world) {
      ASSERT_TRUE(world.objects.contexts().create({0}, {0}, {}));
      body(world);
    });
  }
  static void take(World& world, std::unique_ptr<RenderBuffer> buffer) {
    world.vidmm.enqueue(std::move(buffer));
    nt::settle();
  }
  void run(World& world, std::unique_ptr<RenderBuffer> buffer) {
    take(world, std::move(buffer));
    complete_all(world.vidsch, driver);
  }
  void make_resident(World& world, AllocationId id) {
    world.vidmm.enqueue(requests::make_resident,
                        {.kind = OpKind::MakeResident, .a = static_cast<std::uint8_t>(id.value)});
    complete_all(world.vidsch, driver);
  }
  /// "paging" or "start-end" and the segment of each packet, in the order of submission.
  Calls submitted() const {
    Calls all;
    for (const DXGKARG_SUBMITCOMMAND& packet : driver.submitted) {
      const std::string what = packet.Flags.Paging
                                   ? "paging"
                                   : std::to_string(packet.DmaBufferSubmissionStartOffset) + "-" +
                                         std::to_string(packet.DmaBufferSubmissionEndOffset);
      all.push_back(what + " in " + std::to_string(packet.DmaBufferSegmentId));
    }
    return all;
  }
  static LONGLONG address_of(std::uint32_t page) {
    return static_cast<LONGLONG>(FakeDriver::kApertureBase + std::uint64_t{page} * 4096);
  }
  Calls reasons() const { return texts<ev::OpSkipped>(); }
};

TEST_F(BufferWindowsTest, BufferIsMappedBeforeItRuns) {
  page_by_gpu();
  with_context([&](World& world) { run(world, dma_buffer(0)); });

  EXPECT_EQ(submitted(), (Calls{"paging in 0", "0-64 in 2"}));
  ASSERT_EQ(built(), Operations{kMap});
  const auto& map = driver.built[0].MapApertureSegment;
  EXPECT_EQ(map.hAllocation, nullptr);
  EXPECT_EQ(map.hDevice, reinterpret_cast<HANDLE>(FakeDriver::kDevice));
  EXPECT_EQ(map.SegmentId, 2u);
  EXPECT_EQ(map.OffsetInPages, kLastPage) << "away from allocations";
  EXPECT_EQ(map.NumberOfPages, 1u);
  EXPECT_EQ(driver.submitted[1].DmaBufferPhysicalAddress.QuadPart, address_of(kLastPage));
}

TEST_F(BufferWindowsTest, ItIsUnmappedWhenTheNextOneComes) {
  page_by_gpu();
  with_context([&](World& world) {
    run(world, dma_buffer(0));
    run(world, dma_buffer(1));
  });
  EXPECT_EQ(built(), (Operations{kMap, kUnmap, kMap}));
  EXPECT_EQ(driver.built[1].UnmapApertureSegment.OffsetInPages, kLastPage);
  EXPECT_NE(driver.built[1].UnmapApertureSegment.DummyPage.QuadPart, 0);
  EXPECT_EQ(driver.built[2].MapApertureSegment.OffsetInPages, kLastPage);
}

TEST_F(BufferWindowsTest, BuffersThatAreQueuedLieSideBySide) {
  page_by_gpu();
  with_context([&](World& world) {
    take(world, dma_buffer(0));
    take(world, dma_buffer(1));
    EXPECT_EQ(world.vidmm.jobs(), 0u) << "the second does not wait for the mapping of the first";
    complete_all(world.vidsch, driver);
  });
  ASSERT_EQ(built(), (Operations{kMap, kMap}));
  EXPECT_EQ(driver.built[1].MapApertureSegment.OffsetInPages, kLastPage - 1);
}

TEST_F(BufferWindowsTest, DriverMayMapByTheCpu) {
  with_context([&](World& world) {
    run(world, dma_buffer(0));
    run(world, dma_buffer(1));
  });
  EXPECT_EQ(submitted(), (Calls{"0-64 in 2", "0-64 in 2"}));
  EXPECT_EQ(built(), (Operations{kMap, kUnmap, kMap}));
}

TEST_F(BufferWindowsTest, MemorySegmentsOfTheSetArePassedOver) {
  with_context([&](World& world) {
    driver.dma_segments = 3;
    ASSERT_TRUE(world.objects.contexts().create({1}, {0}, {}));
    EXPECT_TRUE(world.vidmm.shows_buffers_in(3));
    EXPECT_FALSE(world.vidmm.shows_buffers_in(1));
    run(world, dma_buffer(0, {1}));
  });
  EXPECT_EQ(submitted(), Calls{"0-64 in 2"});
}

TEST_F(BufferWindowsTest, PagesThatVidMmDoesNotUseComeFirst) {
  driver.dma_segments = 2;
  on_machine([&](World& world) {
    world.residency.limit({.memory = 0, .aperture = 4});
    ASSERT_NO_FATAL_FAILURE(begin(world));
    ASSERT_TRUE(world.objects.contexts().create({0}, {0}, {}));
    run(world, dma_buffer(0));
    run(world, dma_buffer(1));
  });
  ASSERT_EQ(built(), (Operations{kMap, kUnmap, kMap}));
  EXPECT_EQ(driver.built[0].MapApertureSegment.OffsetInPages, 4u);
}

TEST_F(BufferWindowsTest, FullApertureIsTheReason) {
  with_context([&](World& world) {
    driver.segment_set = driver.preferred_segment = 2;
    ASSERT_NO_FATAL_FAILURE(create(world, {kSlot, FakeDriver::kAperturePages}));
    make_resident(world, kSlot);
    run(world, dma_buffer(0));
  });
  EXPECT_EQ(submitted(), Calls{});
  EXPECT_EQ(reasons(), Calls{"the aperture has no room for the DMA buffer (DmaBufferSegmentSet)"});
}

TEST_F(BufferWindowsTest, BuffersAreUnmappedBeforeTheirContextGoes) {
  with_context([&](World& world) {
    EXPECT_FALSE(world.vidmm.enqueue_unmapping({0})) << "there is none";
    run(world, dma_buffer(0));
    EXPECT_FALSE(world.memory.leads_somewhere({kAperture, kLastPage}, 1)) << "it is not followed";
    EXPECT_TRUE(world.vidmm.enqueue_unmapping({0}));
    nt::settle();
    EXPECT_FALSE(world.vidmm.enqueue_unmapping({0}));
    EXPECT_TRUE(world.memory.leads_somewhere({kAperture, kLastPage}, 1)) << "to the dummy page";
  });
  ASSERT_EQ(built(), (Operations{kMap, kUnmap}));
  EXPECT_EQ(driver.built[1].UnmapApertureSegment.hDevice,
            reinterpret_cast<HANDLE>(FakeDriver::kDevice));
}

// The first GPU of a link has an aperture of its own: nobody has mapped the dummy page there.
TEST_F(BufferWindowsTest, WhatAnotherGpuIsShownIsNotFollowed) {
  with({}, [](World&) {
    for (const std::uint32_t gpu : {0u, 1u}) {
      const AperturePlace place{
          .segment = kAperture, .page = kLastPage, .pages = 1, .physical_adapter = gpu};
      const PagingOperationPtr hidden = hide_buffer({{}, place}, nullptr, 1);
      EXPECT_EQ(std::holds_alternative<BufferEffect>(hidden->effect), gpu == 0);
    }
  });
}

// What maps it can lie nowhere else.
TEST_F(BufferWindowsTest, PagingBufferIsMappedOnceByOneInSystemMemory) {
  page_by_gpu();
  driver.paging_segment = 2;
  with({{kSlot, 1}, {kOtherSlot, 1}}, [&](World& world) {
    make_resident(world, kSlot);
    make_resident(world, kOtherSlot);
  });
  EXPECT_EQ(submitted(), (Calls{"paging in 0", "paging in 2", "paging in 2"}));
  ASSERT_EQ(built(), (Operations{kMap, kFill, kFill}));
  EXPECT_EQ(driver.built[0].MapApertureSegment.hDevice, nullptr);
  EXPECT_EQ(driver.submitted[1].DmaBufferPhysicalAddress.QuadPart, address_of(kLastPage));
  EXPECT_EQ(driver.submitted[2].DmaBufferPhysicalAddress.QuadPart, address_of(kLastPage));
}

TEST_F(BufferWindowsTest, PagingBuffersHaveAPartOfTheAperture) {
  page_by_gpu();
  driver.paging_segment = 2;
  driver.segment_set = driver.preferred_segment = 2;
  with({{kSlot, kLastOfAllocations + 2}}, [&](World& world) { make_resident(world, kSlot); });
  EXPECT_EQ(built(), Operations{});
  EXPECT_EQ(reasons().size(), 1u) << "no room";
}

// What leaves the aperture is unmapped by a buffer that has pages of its own.
TEST_F(BufferWindowsTest, PagingBufferDoesNotLieWhereItsOperationUnmaps) {
  page_by_gpu();
  driver.paging_segment = 2;
  driver.segment_set = driver.preferred_segment = 2;
  with({{kSlot, kLastOfAllocations + 1}}, [&](World& world) {
    world.choices.paging_packed = false;
    make_resident(world, kSlot);
    world.vidmm.enqueue(requests::evict,
                        {.kind = OpKind::Evict, .a = static_cast<std::uint8_t>(kSlot.value)});
    complete_all(world.vidsch, driver);
  });
  ASSERT_EQ(built(), (Operations{kMap, kMap, kUnmap}));
  EXPECT_EQ(driver.built[0].MapApertureSegment.OffsetInPages, kLastPage);
  EXPECT_EQ(submitted(), (Calls{"paging in 0", "paging in 2", "paging in 2"}));
}

// Buffers that the driver wrote behind are not used again, so that each operation needs another.
TEST_F(BufferWindowsTest, NorWhereItUnmapsABuffer) {
  driver.paging_segment = 2;
  driver.paging_bytes = 4000;
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    static_cast<std::uint8_t*>(args.pDmaBuffer)[args.DmaSize] = 0;
    write_paging(args);
    return STATUS_SUCCESS;
  };
  with_context([&](World& world) {
    world.choices.paging_packed = false;
    run(world, dma_buffer(0));
    run(world, dma_buffer(1));
  });
  std::vector<SIZE_T> unmapped;
  std::vector<SIZE_T> shown;  // paging buffers
  for (const auto& args : driver.built) {
    if (args.Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT) {
      unmapped.push_back(args.UnmapApertureSegment.OffsetInPages);
      EXPECT_EQ(std::count(shown.begin(), shown.end(), unmapped.back()), 0);
    } else if (args.MapApertureSegment.hDevice == nullptr) {
      shown.push_back(args.MapApertureSegment.OffsetInPages);
    }
  }
  EXPECT_EQ(unmapped, std::vector<SIZE_T>{kLastOfAllocations});
  EXPECT_EQ(shown, (std::vector<SIZE_T>{kLastPage, kLastPage - 1, kLastPage - 2}));
}

TEST_F(BufferWindowsTest, PagingBufferIsMappedAgainAfterPowerWasLost) {
  page_by_gpu();
  driver.paging_segment = 2;
  with({{kSlot, 1}, {kOtherSlot, 1}}, [&](World& world) {
    make_resident(world, kSlot);
    world.vidmm.power_was_lost();
    make_resident(world, kOtherSlot);
  });
  EXPECT_EQ(built(), (Operations{kMap, kFill, kMap, kFill}));
}

}  // namespace
}  // namespace wddm::host
