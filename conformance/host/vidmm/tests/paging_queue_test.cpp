// Steps of the oracle on their way to VidSch: built, planned, queued as there is room; and what is
// left of that when the adapter is reset meanwhile.
#include "conformance/host/vidmm/paging/paging_queue.h"

#include "conformance/host/tests/vidmm_fixture.h"

namespace wddm::host {
namespace {

class PagingQueueTest : public VidMmTest {
 protected:
  /// A queue of its own beside the allocation of 3 pages in kSlot.
  template <class Body>
  void with_queue(Body body) {
    with({{kSlot, 3}}, [&](World& world) {
      JobWaits waits(world.vidsch);
      PagingBuilder builder(world.adapter, world.objects, world.memory, world.vidsch, waits,
                            world.choices);
      PagingQueue queue({world.objects, world.residency}, world.residency, world.memory, builder,
                        world.vidsch, waits, world.choices);
      abandon = [&] { waits.abandon(); };
      waits.begin_job();
      body(queue, world);
    });
  }
  static vidmm::PagingStep bring_in() {
    return step(vidmm::StepKind::TransferIn, kSlot, kLocal, 5, 3);
  }
  /// BuildPagingBuffer takes one page at a time; the adapter is reset during this call of it.
  void abandon_at_call(std::size_t call) {
    driver.builds = [this, call](DXGKARG_BUILDPAGINGBUFFER& args) {
      write_paging(args);
      if (driver.built.size() == call) abandon();
      return STATUS_SUCCESS;
    };
  }
  static bool no_portions() { return false; }
  static constexpr PlaceInSegment kThere{kLocal, 5};
  std::function<void()> abandon;
};

TEST_F(PagingQueueTest, StepIsPlannedBeforeItsPacketRuns) {
  page_by_gpu();
  with_queue([&](PagingQueue& queue, World& world) {
    queue.queue(bring_in());

    EXPECT_EQ(world.vidsch.packets().size(), 1u);
    EXPECT_EQ(world.residency.planned(kSlot), kThere);
  });
}

TEST_F(PagingQueueTest, StepThatTheCpuDidIsPlannedWithoutAPacket) {
  with_queue([&](PagingQueue& queue, World& world) {
    queue.queue(bring_in());

    EXPECT_EQ(world.vidsch.packets().size(), 0u);
    EXPECT_EQ(world.residency.planned(kSlot), kThere);
  });
}

TEST_F(PagingQueueTest, BuiltStepsAreAllButQueued) {
  page_by_gpu();
  with_queue([&](PagingQueue& queue, World& world) {
    world.choices.transfer_chunk_pages = 1;
    const PagingQueue::Buffers buffers = queue.build({bring_in()}, no_portions);

    EXPECT_EQ(buffers.size(), 3u) << "one for each page";
    EXPECT_EQ(world.vidsch.packets().size(), 0u);
    EXPECT_EQ(world.residency.planned(kSlot), kThere);
  });
}

// Portions of the same buffer that are built and not queued yet may use the allocation.
TEST_F(PagingQueueTest, PortionsBeforeAreQueuedForADriverThatWantsIdleAllocations) {
  bool queued = false;
  driver.builds = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Transfer.Flags.AllocationIsIdle == 0) return STATUS_GRAPHICS_ALLOCATION_BUSY;
    EXPECT_TRUE(queued);
    return STATUS_SUCCESS;
  };
  with_queue([&](PagingQueue& queue, World&) {
    EXPECT_TRUE(queue.build({bring_in()}, [&] { return queued = true; }).empty());
  });
  EXPECT_TRUE(queued);
}

// A driver may program an aperture while it builds.
TEST_F(PagingQueueTest, PortionsBeforeAreQueuedWhereAnApertureIsUnmapped) {
  bool queued = false;
  driver.builds = [&](DXGKARG_BUILDPAGINGBUFFER&) {
    EXPECT_TRUE(queued);
    return STATUS_SUCCESS;
  };
  with_queue([&](PagingQueue& queue, World&) {
    const auto unmap = step(vidmm::StepKind::UnmapAperture, kSlot, kAperture, 0, 3);
    EXPECT_TRUE(queue.build({unmap}, [&] { return queued = true; }).empty());
  });
  EXPECT_TRUE(queued);
}

TEST_F(PagingQueueTest, AbandonedStepBuildsAndPlansNoFurther) {
  abandon_at_call(2);
  with_queue([&](PagingQueue& queue, World& world) {
    world.choices.transfer_chunk_pages = 1;
    queue.queue(bring_in());

    EXPECT_EQ(driver.built.size(), 2u) << "of three pages";
    EXPECT_EQ(world.vidsch.packets().size(), 1u) << "the first was queued before the reset";
    EXPECT_EQ(world.residency.planned(kSlot), PlaceInSegment{});
  });
}

TEST_F(PagingQueueTest, AbandonedStepsBuildAndPlanNoFurther) {
  abandon_at_call(1);
  with_queue([&](PagingQueue& queue, World& world) {
    const auto other = step(vidmm::StepKind::TransferOut, kSlot, kLocal, 5, 3);
    EXPECT_TRUE(queue.build({bring_in(), other}, no_portions).empty());

    EXPECT_EQ(driver.built.size(), 1u);
    EXPECT_EQ(world.residency.planned(kSlot), PlaceInSegment{});
  });
}

// What the CPU did in a call that the reset came into is no news for the memory of the next start.
TEST_F(PagingQueueTest, AbandonedOperationDoesNothingToPredictedMemory) {
  driver.builds = [this](DXGKARG_BUILDPAGINGBUFFER&) {
    abandon();
    return STATUS_SUCCESS;
  };
  with_queue([&](PagingQueue& queue, World& world) {
    queue.queue(step(vidmm::StepKind::Fill, kSlot, kLocal, 5, 3));

    EXPECT_EQ(world.memory.owner_of(kLocal, 5).allocation, kNoAllocation);
    EXPECT_TRUE(world.memory.known());
  });
  EXPECT_TRUE(seen<ev::PagingDone>().empty());
}

}  // namespace
}  // namespace wddm::host
