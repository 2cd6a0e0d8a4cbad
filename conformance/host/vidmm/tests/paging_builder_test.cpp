// BuildPagingBuffer until it has taken the whole operation, or until it is plain that it never
// will.
#include "conformance/host/vidmm/paging/paging_builder.h"

#include "conformance/host/tests/host_fixture.h"
#include "conformance/host/vidmm/paging/paging_operations.h"

namespace wddm::host {
namespace {

using Buffers = std::vector<std::unique_ptr<PagingBuffer>>;

class BuildPaging : public HostTest {
 protected:
  /// Builds the mapping of one page, and then looks at what was made of it.
  template <class Body>
  void build(Body body) {
    with_builder([&](const Build& map) { body(map()); });
  }
  using Build = std::function<Buffers()>;
  /// `body` builds as many of them as it likes.
  template <class Body>
  void with_builder(Body body) {
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      world.choices.paging_bytes = paging_bytes;
      memory::frames_allocate({&frame_, 1}, memory::FrameOwner::Allocation);
      const PagingScene scene{world.objects, world.residency};
      JobWaits waits(world.vidsch);
      waits.begin_job();
      abandon = [&] { waits.abandon(); };
      PagingBuilder builder(world.adapter, world.objects, world.memory, world.vidsch, waits,
                            world.choices);
      body([&] {
        const PagingOperationPtr made = map_of(scene, {SegmentId{2}, 0}, {&frame_, 1}, 0);
        if (discards) made->args = {};
        if (discards) made->args.Operation = DXGK_OPERATION_DISCARD_CONTENT;
        made->runs_in = runs_in;
        return builder.build(made);
      });
    });
  }
  static void write(DXGKARG_BUILDPAGINGBUFFER& args, std::uint32_t bytes) {
    std::memset(args.pDmaBuffer, 0, bytes);
    args.pDmaBuffer = static_cast<std::uint8_t*>(args.pDmaBuffer) + bytes;
  }
  std::uint32_t paging_bytes = 0;  ///< what the scenario chose
  bool discards = false;           ///< instead of mapping
  ContextId runs_in = kNoContext;  ///< of the system, or a companion
  std::function<void()> abandon;   ///< the adapter is reset, while build() is at work

 private:
  memory::Frame frame_ = 0;
};

TEST_F(BuildPaging, OneCallThatSucceedsIsOneBuffer) {
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    write(args, 24);
    args.pDmaBufferPrivateData = static_cast<std::uint8_t*>(args.pDmaBufferPrivateData) + 8;
    return STATUS_SUCCESS;
  };
  build([&](const Buffers& buffers) {
    ASSERT_EQ(buffers.size(), 1u);
    EXPECT_EQ(buffers[0]->used, 24u);
    EXPECT_EQ(buffers[0]->private_used, 8u);
    EXPECT_TRUE(buffers[0]->last);
    EXPECT_EQ(buffers[0]->passes, 1u);
  });
  EXPECT_EQ(driver.built.at(0).DmaSize, 4096u);
  EXPECT_EQ(driver.built.at(0).DmaBufferPrivateDataSize, 16u);
  EXPECT_TRUE(seen<ev::PagingDone>().empty()) << "the GPU has not run it yet";
}

TEST_F(BuildPaging, ScenarioMayOfferLessOfABufferDownToALimit) {
  paging_bytes = 1;
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    write(args, 8);
    args.pDmaBufferPrivateData = static_cast<std::uint8_t*>(args.pDmaBufferPrivateData) + 1;
    return STATUS_SUCCESS;
  };
  with_builder([](const Build& map) {
    const Buffers first = map(), second = map();
    EXPECT_EQ(first.at(0)->memory, second.at(0)->memory);
  });
  EXPECT_EQ(driver.built.at(0).DmaSize, 4096u) << "a new one is what the driver asked for";
  EXPECT_EQ(driver.built.at(1).DmaSize, 16u);
}

TEST_F(BuildPaging, WhatDoesNotFitAnOfferGoesOnBehindItInTheSameBuffer) {
  paging_bytes = 24;
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    write(args, 20);
    args.pDmaBufferPrivateData = static_cast<std::uint8_t*>(args.pDmaBufferPrivateData) + 1;
    const bool all = ++args.MultipassOffset == 3 || args.DmaSize == 4096;
    return all ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  with_builder([](const Build& map) {
    const Buffers first = map(), second = map();
    ASSERT_EQ(second.size(), 3u);
    EXPECT_EQ(first.at(0)->memory, second[2]->memory);
    EXPECT_EQ(second[2]->start, 60u);
  });
}

class BuildPagingOfContexts : public BuildPaging {
 protected:
  /// Whether the system goes on in its buffer behind one that another context has begun.
  bool goes_on() {
    driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
      write(args, 20);
      args.pDmaBufferPrivateData = static_cast<std::uint8_t*>(args.pDmaBufferPrivateData) + 1;
      return STATUS_SUCCESS;
    };
    bool same = false;
    with_builder([&](const Build& map) {
      const Buffers first = map();
      runs_in = ContextId{3};
      const Buffers of_another = map();
      runs_in = kNoContext;
      const Buffers second = map();
      EXPECT_NE(first.at(0)->memory, of_another.at(0)->memory);
      same = first.at(0)->memory == second.at(0)->memory;
    });
    return same;
  }
};

TEST_F(BuildPagingOfContexts, AnotherBeginsABufferForBoth) {
  EXPECT_FALSE(goes_on());
}

TEST_F(BuildPagingOfContexts, WhereAScenarioOffersLessEachGoesOnInItsOwn) {
  paging_bytes = 24;
  EXPECT_TRUE(goes_on());
  EXPECT_EQ(driver.built.at(2).DmaSize, 24u);
}

TEST_F(BuildPaging, MultipassOffsetComesBackUntilAllIsTaken) {
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    write(args, 16);
    args.MultipassOffset += 5;
    return args.MultipassOffset == 15 ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  build([&](const Buffers& buffers) {
    ASSERT_EQ(buffers.size(), 3u);
    EXPECT_FALSE(buffers[0]->last);
    EXPECT_FALSE(buffers[1]->last);
    EXPECT_TRUE(buffers[2]->last);
    EXPECT_EQ(buffers[2]->passes, 3u);
    EXPECT_NE(buffers[0]->memory, buffers[1]->memory);
  });
  ASSERT_EQ(driver.built.size(), 3u);
  EXPECT_EQ(driver.built[0].MultipassOffset, 0u);
  EXPECT_EQ(driver.built[1].MultipassOffset, 5u);
  EXPECT_EQ(driver.built[2].MultipassOffset, 10u);
}

TEST_F(BuildPaging, TwoPassesWithoutProgressAreEnough) {
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER&) {
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  build([&](const Buffers& buffers) { EXPECT_TRUE(buffers.empty()); });
  EXPECT_EQ(driver.built.size(), 2u);
  EXPECT_EQ(seen<ev::PagingDone>().at(0).gave_up, 1u);
}

TEST_F(BuildPaging, OneIdlePassBetweenOthersIsForgiven) {
  driver.builds = [calls = 0](DXGKARG_BUILDPAGINGBUFFER& args) mutable {
    ++calls;
    if (calls % 2 == 0) write(args, 16);
    return calls == 6 ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  build([&](const Buffers& buffers) { EXPECT_EQ(buffers.size(), 3u); });
  EXPECT_EQ(driver.built.size(), 6u);
}

TEST_F(BuildPaging, LoopThatMovesItsOffsetEndsAllTheSame) {
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    ++args.MultipassOffset;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  build([&](const Buffers& buffers) { EXPECT_TRUE(buffers.empty()); });
  EXPECT_EQ(driver.built.size(), 64u + 4 * 1) << "for one page";
  EXPECT_EQ(seen<ev::PagingDone>().at(0).gave_up, 1u);
}

// Buffers of an operation without an end would take all the memory that there is for them.
TEST_F(BuildPaging, TheSameOnceMoreIsNoProgress) {
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    write(args, 16);
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  build([&](const Buffers& buffers) { EXPECT_EQ(buffers.size(), 17u); });
  EXPECT_EQ(seen<ev::PagingDone>().at(0).gave_up, 1u);
}

TEST_F(BuildPaging, RefusalGivesUpAndTheBuffersBeforeItAreNotTheLast) {
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.MultipassOffset != 0) return STATUS_INVALID_PARAMETER;
    write(args, 16);
    args.MultipassOffset = 1;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  build([&](const Buffers& buffers) {
    ASSERT_EQ(buffers.size(), 1u);
    EXPECT_FALSE(buffers[0]->last);
  });
  EXPECT_EQ(seen<ev::PagingDone>().at(0).gave_up, 1u);
}

TEST_F(BuildPaging, OperationWithNothingForTheGpuIsDoneAtOnce) {
  build([&](const Buffers& buffers) { EXPECT_TRUE(buffers.empty()); });
  const auto done = seen<ev::PagingDone>();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].gave_up, 0u);
  EXPECT_EQ(done[0].packet, kNone);
}

TEST_F(BuildPaging, CursorOutsideOfTheBufferIsClampedAndRecorded) {
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    args.pDmaBuffer = static_cast<std::uint8_t*>(args.pDmaBuffer) + 5000;
    return STATUS_SUCCESS;
  };
  build([&](const Buffers& buffers) { EXPECT_EQ(buffers.at(0)->used, 4096u); });
  EXPECT_EQ(seen<ev::PagingBuilt>().at(0).used, 5000);
}

TEST_F(BuildPaging, WritesBehindTheBufferAreSeen) {
  paging_bytes = 100;
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.DmaSize == 100) static_cast<std::uint8_t*>(args.pDmaBuffer)[100] ^= 0xff;
    write(args, 8);
    args.pDmaBufferPrivateData = static_cast<std::uint8_t*>(args.pDmaBufferPrivateData) + 1;
    return STATUS_SUCCESS;
  };
  with_builder([](const Build& map) { const Buffers first = map(), second = map(); });
  const auto damage = seen<ev::GuardDamaged>();
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_EQ(damage[0].area, static_cast<std::uint32_t>(GuardArea::PagingBuffer));
  EXPECT_EQ(damage[0].first, 8 + 100);
}

TEST_F(BuildPaging, AbandonedBetweenPassesCallsNoMore) {
  driver.builds = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    write(args, 16);
    abandon();
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  build([&](const Buffers& buffers) { EXPECT_TRUE(buffers.empty()); });
  EXPECT_EQ(driver.built.size(), 1u);
  EXPECT_TRUE(seen<ev::PagingDone>().empty()) << "the driver did not give up";
}

TEST_F(BuildPaging, OperationsFollowEachOtherInABuffer) {
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    write(args, 24);
    args.pDmaBufferPrivateData = static_cast<std::uint8_t*>(args.pDmaBufferPrivateData) + 8;
    return STATUS_SUCCESS;
  };
  with_builder([](const Build& map) {
    const Buffers first = map(), second = map();
    EXPECT_EQ(first.at(0)->memory, second.at(0)->memory);
    EXPECT_EQ(second[0]->start, 24u);
    EXPECT_EQ(second[0]->private_start, 8u);
  });
  EXPECT_EQ(driver.built.at(1).DmaSize, 4096u - 24);
  EXPECT_EQ(driver.built.at(1).DmaBufferPrivateDataSize, 16u - 8);
}

TEST_F(BuildPaging, WhatDoesNotFitGoesOnInANewBuffer) {
  paging_bytes = 16;
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.DmaSize < 24) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    write(args, 24);
    args.pDmaBufferPrivateData = static_cast<std::uint8_t*>(args.pDmaBufferPrivateData) + 1;
    return STATUS_SUCCESS;
  };
  with_builder([](const Build& map) {
    const Buffers first = map(), second = map();
    EXPECT_NE(first.at(0)->memory, second.at(0)->memory);
    EXPECT_EQ(second[0]->start, 0u);
    EXPECT_EQ(second[0]->passes, 2u);
  });
  ASSERT_EQ(driver.built.size(), 3u);
  EXPECT_EQ(driver.built[1].DmaSize, 16u);
  EXPECT_EQ(driver.built[2].DmaSize, 4096u);
}

TEST_F(BuildPaging, NotesThatNobodyMovesBehindHoldForTheWholeBuffer) {
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    write(args, 24);
    return STATUS_SUCCESS;
  };
  with_builder([](const Build& map) {
    Buffers running = map();
    EXPECT_NE(map().at(0)->memory, running.at(0)->memory) << "its note is still wanted";
    running.clear();
    EXPECT_EQ(map().at(0)->start, 24u) << "the one before has ended";
  });
}

TEST_F(BuildPaging, BusyAllocationIsOfferedAgainWhenItIsIdle) {
  driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (!args.DiscardContent.Flags.AllocationIsIdle) return STATUS_GRAPHICS_ALLOCATION_BUSY;
    write(args, 24);
    return STATUS_SUCCESS;
  };
  discards = true;
  build([&](const Buffers& buffers) { EXPECT_EQ(buffers.at(0)->passes, 1u); });
  const auto calls = seen<ev::PagingBuilt>();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].idle, 0u);
  EXPECT_EQ(calls[1].idle, 1u);
}

TEST_F(BuildPaging, DriverThatCannotSubmitIsNotAsked) {
  driver.table.DxgkDdiSubmitCommand = nullptr;
  build([&](const Buffers& buffers) { EXPECT_TRUE(buffers.empty()); });
  EXPECT_TRUE(driver.built.empty());
}

}  // namespace
}  // namespace wddm::host
