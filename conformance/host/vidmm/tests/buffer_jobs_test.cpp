// DMA buffers on their way through VidMm: what is paged for them, what they wait for, and why they
// do not run.
#include "conformance/host/vidmm/buffer_jobs.h"

#include "conformance/host/tests/packets.h"
#include "conformance/host/tests/vidmm_fixture.h"
#include "conformance/host/vidmm/refusal_text.h"

namespace wddm::host {
namespace {

class BufferJobsTest : public VidMmTest {
 protected:
  /// Contexts 0 and 1, and allocations of one page in kSlot and kOtherSlot.
  template <class Body>
  void with_buffers(Body body) {
    page_by_gpu();
    with({{kSlot, 1}, {kOtherSlot, 1}}, [&](World& world) {
      ASSERT_TRUE(world.objects.contexts().create({0}, {0}, {}));
      ASSERT_TRUE(world.objects.contexts().create({1}, {0}, {}));
      body(world);
    });
  }
  /// A buffer of 64 bytes that binds this allocation at its start.
  static std::unique_ptr<RenderBuffer> binding(std::uint32_t render, AllocationId id,
                                               ContextId context = {}) {
    auto buffer = dma_buffer(render, context);
    add(*buffer, id, 0);
    return buffer;
  }
  /// Its row 0 names this allocation from the offset on, where it can be split.
  static void add(RenderBuffer& buffer, AllocationId id, std::uint32_t offset) {
    DXGK_ALLOCATIONLIST entry{};
    entry.WriteOperation = 1;
    D3DDDI_PATCHLOCATIONLIST element{};
    element.AllocationIndex = static_cast<UINT>(buffer.allocation_list.size());
    element.PatchOffset = element.SplitOffset = offset;
    buffer.allocation_list.push_back(entry);
    buffer.allocations.push_back(id);
    buffer.patches.push_back(element);
  }
  static void take(World& world, std::unique_ptr<RenderBuffer> buffer) {
    world.vidmm.enqueue(std::move(buffer));
    nt::settle();
  }
  /// A driver that wants to be told that an allocation is idle before it moves it.
  void page_when_idle() {
    driver.builds = [](DXGKARG_BUILDPAGINGBUFFER& args) {
      const bool moves = args.Operation == DXGK_OPERATION_TRANSFER;
      if (moves && args.Transfer.Flags.AllocationIsIdle == 0) {
        return STATUS_GRAPHICS_ALLOCATION_BUSY;
      }
      write_paging(args);
      return STATUS_SUCCESS;
    };
  }
  /// "paging" or "start-end" of each packet, in the order of submission.
  Calls submitted() const {
    Calls all;
    for (const ev::Submitted& packet : seen<ev::Submitted>()) {
      all.push_back(packet.paging != 0
                        ? "paging"
                        : std::to_string(packet.start) + "-" + std::to_string(packet.end));
    }
    return all;
  }
  Calls reasons() const { return texts<ev::OpSkipped>(); }
};

TEST_F(BufferJobsTest, BufferWithoutAListIsOnePortion) {
  with_buffers([&](World& world) {
    take(world, dma_buffer(0));
    complete_all(world.vidsch, driver);
  });
  EXPECT_EQ(submitted(), Calls{"0-64"});
  EXPECT_EQ(seen<ev::PortionPlanned>().size(), 1u);
}

TEST_F(BufferJobsTest, WhatABufferListsIsPagedInBeforeIt) {
  with_buffers([&](World& world) {
    take(world, binding(0, kSlot));
    complete_all(world.vidsch, driver);
    EXPECT_NE(world.residency.planned(kSlot), PlaceInSegment{});
  });
  EXPECT_EQ(submitted(), (Calls{"paging", "0-64"}));
}

TEST_F(BufferJobsTest, PortionIsToldTheAddressesOfItsTime) {
  with_buffers([&](World& world) {
    take(world, binding(0, kSlot));
    complete_packet(world.vidsch, driver);  // its paging
    ASSERT_EQ(driver.patch_lists.size(), 2u);
    EXPECT_EQ(driver.patch_lists[1].at(0).SegmentId, kLocal.value);
    EXPECT_EQ(driver.patch_lists[1][0].PhysicalAddress.QuadPart,
              static_cast<LONGLONG>(world.residency.gpu_address(world.residency.planned(kSlot))));
    complete_all(world.vidsch, driver);
  });
}

TEST_F(BufferJobsTest, TakenSplitPointCutsTheBuffer) {
  with_buffers([&](World& world) {
    world.choices.take = Take::All;
    auto buffer = binding(0, kSlot);
    add(*buffer, kOtherSlot, 32);
    take(world, std::move(buffer));
    complete_all(world.vidsch, driver);
  });
  const auto planned = seen<ev::PortionPlanned>();
  ASSERT_EQ(planned.size(), 2u);
  EXPECT_EQ(planned[0].end, 32u);
  EXPECT_EQ(planned[0].why, static_cast<std::uint32_t>(CutReason::Forced));
  EXPECT_EQ(planned[1].start, 32u);
  EXPECT_EQ(planned[1].index, 1u);
}

TEST_F(BufferJobsTest, AnotherContextThatWritesTheSameIsWaitedFor) {
  with_buffers([&](World& world) {
    take(world, binding(0, kSlot, {0}));
    take(world, binding(1, kSlot, {1}));
    complete_packet(world.vidsch, driver);  // the paging
    EXPECT_EQ(world.vidsch.packets().size(), 1u) << "the second is still with VidMm";
    EXPECT_EQ(world.vidmm.jobs(), 1u);
    complete_all(world.vidsch, driver);
  });
  EXPECT_EQ(submitted(), (Calls{"paging", "0-64", "0-64"}));
}

TEST_F(BufferJobsTest, ListThatTheOracleRefusesIsSkipped) {
  with_buffers([&](World& world) {
    auto buffer = binding(0, kSlot);
    buffer->patches[0].AllocationIndex = 7;
    take(world, std::move(buffer));
  });
  EXPECT_EQ(submitted(), Calls{});
  EXPECT_EQ(reasons(), Calls{"VidMm refuses the patch-location list"});
}

TEST_F(BufferJobsTest, BufferThatFitsNowhereIsRefusedWithItsElement) {
  with_buffers([&](World& world) {
    ASSERT_NO_FATAL_FAILURE(create(world, {{4}, FakeDriver::kLocalPages}));
    auto buffer = binding(0, {4});
    add(*buffer, kSlot, 0);
    add(*buffer, kOtherSlot, 32);
    take(world, std::move(buffer));
    complete_all(world.vidsch, driver);
  });
  EXPECT_EQ(seen<ev::BufferRefused>().size(), 1u);
  EXPECT_EQ(reasons(), Calls{"the buffer cannot be run: VidMm found no way to bring it in"});
}

TEST_F(BufferJobsTest, WithoutSplitOffsetsTheListIsTheReason) {
  with_buffers([&](World& world) {
    ASSERT_NO_FATAL_FAILURE(create(world, {{4}, FakeDriver::kLocalPages}));
    auto buffer = binding(0, {4});
    add(*buffer, kSlot, 0);
    take(world, std::move(buffer));
    complete_all(world.vidsch, driver);
  });
  EXPECT_EQ(seen<ev::BufferRefused>().size(), 1u);
  EXPECT_EQ(reasons(), Calls{kCannotBeSplit});
}

TEST_F(BufferJobsTest, BufferThatTheDriverGaveUpDoesNotRun) {
  with_buffers([&](World& world) {
    auto buffer = dma_buffer(0);
    buffer->given_up = true;
    take(world, std::move(buffer));
    take(world, dma_buffer(1));
    complete_all(world.vidsch, driver);
  });
  EXPECT_EQ(submitted(), Calls{"0-64"});
}

TEST_F(BufferJobsTest, LaterPassesGoWithOneThatWasDropped) {
  with_buffers([&](World& world) {
    auto bad = binding(5, kSlot);
    bad->patches[0].AllocationIndex = 7;
    auto second_pass = dma_buffer(5);
    second_pass->pass = 1;
    take(world, std::move(bad));
    take(world, std::move(second_pass));
  });
  EXPECT_EQ(submitted(), Calls{});
  ASSERT_EQ(reasons().size(), 2u);
  EXPECT_EQ(reasons()[1], "an earlier pass of the translation was dropped: this one rests on it");
}

// Its paging has been decided on, and later decisions rest on it.
TEST_F(BufferJobsTest, BufferOfMorePacketsThanThereIsRoomIsDroppedAndItsPagingRuns) {
  with_buffers([&](World& world) {
    world.choices.take = Take::All;
    auto buffer = binding(0, kSlot);
    buffer->dma = memory::GuardedBuffer(1 << 16, true, memory::FrameOwner::DmaBuffer);
    buffer->dma_used = 1 << 16;
    for (std::uint32_t i = 1; i <= world.vidsch.room(); ++i) {
      add(*buffer, i % 2 == 0 ? kSlot : kOtherSlot, 4 * i);
    }
    take(world, std::move(buffer));
    complete_all(world.vidsch, driver);
  });
  ASSERT_EQ(reasons().size(), 1u);
  EXPECT_EQ(reasons()[0], "the buffer and its paging are more packets than VidSch has room for");
  const Calls packets = submitted();
  EXPECT_FALSE(packets.empty());
  EXPECT_EQ(std::count(packets.begin(), packets.end(), "paging"),
            static_cast<std::ptrdiff_t>(packets.size()));
}

TEST_F(BufferJobsTest, PortionsBeforeEndWhereTheDriverWantsIdleAllocations) {
  with_buffers([&](World& world) {
    page_when_idle();
    world.vidmm.cpu_wrote(kOtherSlot);
    world.choices.take = Take::All;
    auto buffer = binding(0, kSlot);
    add(*buffer, kOtherSlot, 32);
    take(world, std::move(buffer));
    complete_all(world.vidsch, driver);
  });
  EXPECT_EQ(submitted(), (Calls{"paging", "0-32", "paging", "32-64"}));
  const auto planned = seen<ev::PortionPlanned>();
  ASSERT_EQ(planned.size(), 2u);
  EXPECT_EQ(planned[1].index, 1u);
  EXPECT_EQ(reasons(), Calls{});
}

// They are dropped when the last portion is built, which rests on them.
TEST_F(BufferJobsTest, PortionsBehindThoseWithoutRoomAreDroppedToo) {
  with_buffers([&](World& world) {
    page_when_idle();
    world.vidmm.cpu_wrote(kOtherSlot);
    world.choices.take = Take::All;
    auto buffer = binding(0, kSlot);
    buffer->dma = memory::GuardedBuffer(1 << 16, true, memory::FrameOwner::DmaBuffer);
    buffer->dma_used = 1 << 16;
    const auto before = static_cast<std::uint32_t>(world.vidsch.room());
    for (std::uint32_t i = 1; i <= before; ++i) add(*buffer, kSlot, 4 * i);
    add(*buffer, kOtherSlot, 4 * (before + 1));
    take(world, std::move(buffer));
    complete_all(world.vidsch, driver);
  });
  ASSERT_EQ(reasons().size(), 1u);
  EXPECT_EQ(submitted(), (Calls{"paging", "paging"}));
}

TEST_F(BufferJobsTest, LeaksOfACutBufferAreJudgedForADriverThatCaresForThem) {
  driver.caps.SchedulingCaps.PreemptionAware = 1;
  with_buffers([&](World& world) {
    world.choices.take = Take::All;
    auto buffer = binding(0, kSlot);
    add(*buffer, kOtherSlot, 32);
    buffer->patches[1].SlotId = 1;  // row 0 is bound in both portions
    take(world, std::move(buffer));
    complete_all(world.vidsch, driver);
  });
  const auto judged = seen<ev::LeakJudged>();
  ASSERT_EQ(judged.size(), 1u);
  EXPECT_EQ(judged[0].rejected, 1u);
  EXPECT_EQ(judged[0].slot, 0u);
  EXPECT_EQ(submitted(), (Calls{"paging", "paging"})) << "the buffer runs not at all";
}

// The driver is in BuildPagingBuffer for a buffer when the adapter is reset.
TEST_F(BufferJobsTest, ResetEndsTheBufferAtHand) {
  with_buffers([&](World& world) {
    driver.builds = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
      write_paging(args);
      world.vidmm.abandon();
      world.vidsch.reset();
      return STATUS_SUCCESS;
    };
    auto buffer = binding(0, kSlot);
    add(*buffer, kOtherSlot, 0);
    take(world, std::move(buffer));
    EXPECT_EQ(driver.built.size(), 1u) << "of two page-ins";
    EXPECT_EQ(world.vidsch.packets().size(), 0u);
  });
  EXPECT_TRUE(seen<ev::PortionPlanned>().empty());
}

}  // namespace
}  // namespace wddm::host
