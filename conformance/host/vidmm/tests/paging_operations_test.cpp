// The arguments of each paging operation.
#include "conformance/host/vidmm/paging/paging_operations.h"

#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

constexpr AllocationId kAllocation{2};
constexpr std::uint32_t kLocal = 1, kAperture = 2;

class PagingOperations : public HostTest {
 protected:
  /// A running adapter with an allocation of 3 pages in kAllocation.
  template <class Body>
  void with_allocation(Body body) {
    driver.allocation_bytes = 3 * 4096;
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      ASSERT_TRUE(world.objects.create_allocation(kAllocation, {0}, 3, Place::Any, false));
      handle = world.objects.allocation(kAllocation).driver;
      body(world);
    });
  }
  static vidmm::PagingStep step(vidmm::StepKind kind, std::uint32_t segment, std::uint32_t page) {
    vidmm::PagingStep made;
    made.kind = kind;
    made.allocation = kAllocation;
    made.segment = SegmentId{segment};
    made.page = page;
    made.pages = 3;
    return made;
  }
  static std::uint64_t local(std::uint32_t page) { return FakeDriver::kLocalBase + page * 4096; }
  static PagingScene scene_of(World& world) { return {world.objects, world.residency}; }
  static std::vector<PagingOperationPtr> for_step(World& world, const vidmm::PagingStep& step) {
    return operations_for(scene_of(world), step, world.choices.transfer_chunk_pages,
                          world.memory.dummy_frame());
  }
  HANDLE handle = nullptr;
};

template <class Side>
std::uint64_t address_in(const Side& side) {
  return static_cast<std::uint64_t>(side.SegmentAddress.QuadPart);
}

TEST_F(PagingOperations, FillNamesThePlaceWithBaseAddress) {
  with_allocation([&](World& world) {
    const auto made = for_step(world, step(vidmm::StepKind::Fill, kLocal, 5));

    ASSERT_EQ(made.size(), 1u);
    EXPECT_EQ(made[0]->args.Operation, DXGK_OPERATION_FILL);
    const auto& fill = made[0]->args.Fill;
    EXPECT_EQ(fill.hAllocation, handle);
    EXPECT_EQ(fill.FillSize, 3u * 4096);
    EXPECT_EQ(fill.FillPattern, 0u);
    EXPECT_EQ(fill.Destination.SegmentId, kLocal);
    EXPECT_EQ(address_in(fill.Destination), local(5));
    EXPECT_TRUE(std::holds_alternative<StepEffect>(made[0]->effect));
  });
}

TEST_F(PagingOperations, UnderALockTheContentGoesByTheSwizzlingRange) {
  with_allocation([&](World& world) {
    world.objects.allocation(kAllocation).view = SwizzlingView{.range = 7, .bytes = {}};
    const auto out = for_step(world, step(vidmm::StepKind::TransferOut, kLocal, 5));

    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0]->args.Operation, DXGK_OPERATION_SPECIAL_LOCK_TRANSFER);
    const auto& from = out[0]->args.SpecialLockTransfer;
    EXPECT_EQ(from.hAllocation, handle);
    EXPECT_EQ(from.SwizzlingRangeId, 7u);
    EXPECT_EQ(from.TransferSize, 3u * 4096);
    EXPECT_EQ(from.Source.SegmentId, kLocal);
    EXPECT_EQ(address_in(from.Source), local(5));
    EXPECT_EQ(from.Destination.SegmentId, 0u);
    EXPECT_EQ(from.Destination.pMdl, out[0]->mdl->get());
    EXPECT_TRUE(std::holds_alternative<SpecialLockEffect>(out[0]->effect));

    const auto in = for_step(world, step(vidmm::StepKind::TransferIn, kLocal, 9));
    ASSERT_EQ(in.size(), 1u);
    const auto& back = in[0]->args.SpecialLockTransfer;
    EXPECT_EQ(back.Source.pMdl, in[0]->mdl->get());
    EXPECT_EQ(address_in(back.Destination), local(9));
  });
}

// TransferOffset does not count in the MDL, which has no offset of its own.
TEST_F(PagingOperations, UnderALockThePagesOfAPartBeginItsMdl) {
  with_allocation([&](World& world) {
    world.choices.transfer_chunk_pages = 2;
    world.objects.allocation(kAllocation).view = SwizzlingView{.range = 7, .bytes = {}};
    const auto out = for_step(world, step(vidmm::StepKind::TransferOut, kLocal, 5));

    ASSERT_EQ(out.size(), 2u);
    EXPECT_TRUE(out[0]->args.SpecialLockTransfer.Flags.TransferStart);
    EXPECT_FALSE(out[0]->args.SpecialLockTransfer.Flags.TransferEnd);
    EXPECT_TRUE(std::holds_alternative<PartEffect>(out[0]->effect));
    const auto& last = out[1]->args.SpecialLockTransfer;
    EXPECT_EQ(address_in(last.Source), local(5));
    EXPECT_EQ(last.TransferOffset, 2u * 4096);
    EXPECT_EQ(last.TransferSize, 4096u);
    EXPECT_FALSE(last.Flags.TransferStart);
    EXPECT_TRUE(last.Flags.TransferEnd);
    EXPECT_EQ(MmGetMdlByteCount(last.Destination.pMdl), 4096u);
    EXPECT_EQ(MmGetMdlPfnArray(last.Destination.pMdl)[0],
              world.objects.allocation(kAllocation).frames[2]);
    EXPECT_TRUE(std::holds_alternative<SpecialLockEffect>(out[1]->effect));
  });
}

TEST_F(PagingOperations, UnderALockWhatIsSeenInAnotherOrderGoesAtOnce) {
  with_allocation([&](World& world) {
    world.choices.transfer_chunk_pages = 1;
    world.objects.allocation(kAllocation).view =
        SwizzlingView{.range = 7, .bytes = std::vector<std::uint8_t>(3 * 4096)};

    EXPECT_EQ(for_step(world, step(vidmm::StepKind::TransferOut, kLocal, 5)).size(), 1u);
  });
}

TEST_F(PagingOperations, WhatIsLinearIsConvertedInPartsToo) {
  with_allocation([&](World& world) {
    world.choices.transfer_chunk_pages = 2;
    world.objects.allocation(kAllocation).linear = true;
    for (const auto kind : {vidmm::StepKind::TransferOut, vidmm::StepKind::TransferIn}) {
      const bool in = kind == vidmm::StepKind::TransferIn;
      const auto made = for_step(world, step(kind, kLocal, 5));
      ASSERT_EQ(made.size(), 2u);
      for (const auto& part : made) {
        EXPECT_EQ(part->args.Transfer.Flags.Swizzle, in ? 1u : 0u);
        EXPECT_EQ(part->args.Transfer.Flags.Unswizzle, in ? 0u : 1u);
        const auto& transfer = part->args.Transfer;
        MDL* const mdl = in ? transfer.Source.pMdl : transfer.Destination.pMdl;
        EXPECT_EQ(MmGetMdlByteCount(mdl), 3u * 4096) << "bytes of a part may go to any page";
      }
      EXPECT_EQ(made[1]->args.Transfer.MdlOffset, 2u);
      EXPECT_TRUE(std::get<PartEffect>(made[0]->effect).converts);
      EXPECT_TRUE(std::get<StepEffect>(made[1]->effect).converts);
    }
  });
}

TEST_F(PagingOperations, WhatIsLinearIsConverted) {
  with_allocation([&](World& world) {
    world.objects.allocation(kAllocation).linear = true;
    const auto out = for_step(world, step(vidmm::StepKind::TransferOut, kLocal, 5));
    const auto in = for_step(world, step(vidmm::StepKind::TransferIn, kLocal, 5));

    ASSERT_EQ(out.size(), 1u);
    EXPECT_TRUE(out[0]->args.Transfer.Flags.Unswizzle);
    EXPECT_FALSE(out[0]->args.Transfer.Flags.Swizzle);
    EXPECT_EQ(out[0]->args.Transfer.TransferSize, 3u * 4096);
    ASSERT_EQ(in.size(), 1u);
    EXPECT_TRUE(in[0]->args.Transfer.Flags.Swizzle);
    EXPECT_FALSE(in[0]->args.Transfer.Flags.Unswizzle);
    EXPECT_TRUE(std::get<StepEffect>(in[0]->effect).converts);
  });
}

TEST_F(PagingOperations, TransferInGoesFromMdlToSegment) {
  with_allocation([&](World& world) {
    const auto made = for_step(world, step(vidmm::StepKind::TransferIn, kLocal, 5));

    ASSERT_EQ(made.size(), 1u);
    const auto& transfer = made[0]->args.Transfer;
    EXPECT_EQ(transfer.hAllocation, handle);
    EXPECT_EQ(transfer.Source.SegmentId, 0u);
    EXPECT_EQ(transfer.Source.pMdl, made[0]->mdl->get());
    EXPECT_EQ(transfer.Destination.SegmentId, kLocal);
    EXPECT_EQ(address_in(transfer.Destination), local(5));
    EXPECT_EQ(transfer.TransferSize, 3u * 4096);
    EXPECT_EQ(transfer.TransferOffset, 0u);
    EXPECT_EQ(transfer.MdlOffset, 0u);
    EXPECT_TRUE(transfer.Flags.TransferStart);
    EXPECT_TRUE(transfer.Flags.TransferEnd);
  });
}

TEST_F(PagingOperations, TransferOutGoesFromSegmentToMdl) {
  with_allocation([&](World& world) {
    const auto made = for_step(world, step(vidmm::StepKind::TransferOut, kLocal, 5));

    ASSERT_EQ(made.size(), 1u);
    const auto& transfer = made[0]->args.Transfer;
    EXPECT_EQ(transfer.Source.SegmentId, kLocal);
    EXPECT_EQ(address_in(transfer.Source), local(5));
    EXPECT_EQ(transfer.Destination.SegmentId, 0u);
    EXPECT_EQ(transfer.Destination.pMdl, made[0]->mdl->get());
  });
}

TEST_F(PagingOperations, TransferOutGoesThroughTheApertureThatShowsItsPages) {
  with_allocation([&](World& world) {
    world.choices.transfer_chunk_pages = 2;
    vidmm::PagingStep out = step(vidmm::StepKind::TransferOut, kLocal, 5);
    out.through = SegmentId{kAperture};
    out.through_page = 7;
    const auto made = for_step(world, out);

    ASSERT_EQ(made.size(), 2u);
    const auto& first = made[0]->args.Transfer;
    const auto& second = made[1]->args.Transfer;
    EXPECT_EQ(first.hAllocation, handle);
    EXPECT_EQ(first.Source.SegmentId, kLocal);
    EXPECT_EQ(address_in(first.Source), local(5));
    EXPECT_EQ(first.Destination.SegmentId, kAperture);
    EXPECT_EQ(address_in(first.Destination),
              world.residency.gpu_address({SegmentId{kAperture}, 7}));
    EXPECT_EQ(second.TransferOffset, 2u * 4096);
    EXPECT_EQ(address_in(second.Destination), address_in(first.Destination));
    EXPECT_EQ(made[1]->record.page, 9u);
    EXPECT_TRUE(std::holds_alternative<PartEffect>(made[0]->effect));
    EXPECT_TRUE(std::holds_alternative<StepEffect>(made[1]->effect));
  });
}

// The segment's address stays that of the allocation, from which TransferOffset counts. MdlOffset
// counts from where the MDL begins, which is another page.
TEST_F(PagingOperations, PartsOfATransferCountTheirOffsets) {
  with_allocation([&](World& world) {
    world.choices.transfer_chunk_pages = 2;
    const auto made = for_step(world, step(vidmm::StepKind::TransferIn, kLocal, 5));

    ASSERT_EQ(made.size(), 2u);
    const auto& first = made[0]->args.Transfer;
    const auto& second = made[1]->args.Transfer;
    EXPECT_EQ(first.TransferSize, 2u * 4096);
    EXPECT_TRUE(first.Flags.TransferStart);
    EXPECT_FALSE(first.Flags.TransferEnd);
    EXPECT_EQ(second.TransferSize, 4096u);
    EXPECT_EQ(second.TransferOffset, 2u * 4096);
    EXPECT_EQ(first.MdlOffset, 0u);
    EXPECT_EQ(second.MdlOffset, 1u);
    const auto& frames = world.objects.allocation(kAllocation).frames;
    EXPECT_EQ(MmGetMdlPfnArray(first.Source.pMdl)[0], frames[0]);
    EXPECT_EQ(MmGetMdlPfnArray(second.Source.pMdl)[1], frames[2]);
    EXPECT_EQ(address_in(second.Destination), local(5));
    EXPECT_FALSE(second.Flags.TransferStart);
    EXPECT_TRUE(second.Flags.TransferEnd);
    EXPECT_TRUE(std::holds_alternative<PartEffect>(made[0]->effect));
    EXPECT_TRUE(std::holds_alternative<StepEffect>(made[1]->effect));
  });
}

TEST_F(PagingOperations, MapCountsPagesFromTheStartOfTheSegment) {
  with_allocation([&](World& world) {
    const auto made = for_step(world, step(vidmm::StepKind::MapAperture, kAperture, 5));

    ASSERT_EQ(made.size(), 1u);
    const auto& map = made[0]->args.MapApertureSegment;
    EXPECT_EQ(map.hDevice, reinterpret_cast<HANDLE>(FakeDriver::kDevice));
    EXPECT_EQ(map.hAllocation, handle);
    EXPECT_EQ(map.SegmentId, kAperture);
    EXPECT_EQ(map.OffsetInPages, 5u);
    EXPECT_EQ(map.NumberOfPages, 3u);
    EXPECT_EQ(map.pMdl, made[0]->mdl->get());
  });
}

TEST_F(PagingOperations, UnmapLeavesTheDummyPage) {
  with_allocation([&](World& world) {
    const auto made = for_step(world, step(vidmm::StepKind::UnmapAperture, kAperture, 5));

    ASSERT_EQ(made.size(), 1u);
    const auto& unmap = made[0]->args.UnmapApertureSegment;
    EXPECT_EQ(unmap.hAllocation, handle);
    EXPECT_EQ(unmap.OffsetInPages, 5u);
    EXPECT_EQ(unmap.NumberOfPages, 3u);
    EXPECT_EQ(static_cast<std::uint64_t>(unmap.DummyPage.QuadPart),
              world.memory.dummy_frame() * kPageSize);
  });
}

TEST_F(PagingOperations, DiscardNamesTheAllocation) {
  with_allocation([&](World& world) {
    const auto made = for_step(world, step(vidmm::StepKind::Discard, kLocal, 5));

    ASSERT_EQ(made.size(), 1u);
    const auto& discard = made[0]->args.DiscardContent;
    EXPECT_EQ(discard.hAllocation, handle);
    EXPECT_FALSE(discard.Flags.AllocationIsIdle) << "the GPU might be using it";
    EXPECT_EQ(discard.SegmentId, kLocal);
    EXPECT_EQ(address_in(discard), local(5));
  });
}

TEST_F(PagingOperations, FillOfAScenarioGoesWhereTheAllocationWillBe) {
  with_allocation([&](World& world) {
    ASSERT_TRUE(world.residency.created(kAllocation));
    world.residency.plan(step(vidmm::StepKind::Fill, kLocal, 7));
    const auto made = fill_of(scene_of(world), kAllocation, 0x12345678);

    EXPECT_EQ(made->args.Fill.FillPattern, 0x12345678u);
    EXPECT_EQ(address_in(made->args.Fill.Destination), local(7));
    EXPECT_EQ(made->record.pattern, 0x12345678u);
  });
}

TEST_F(PagingOperations, TransferBetweenPlacesHasNoAllocation) {
  with_allocation([&](World& world) {
    const auto parts =
        transfers_of(scene_of(world), {SegmentId{kLocal}, 1}, {SegmentId{kLocal}, 4}, 2, 0);

    ASSERT_EQ(parts.size(), 1u);
    const auto& made = parts.front();
    const auto& transfer = made->args.Transfer;
    EXPECT_EQ(transfer.hAllocation, nullptr);
    EXPECT_EQ(address_in(transfer.Source), local(1));
    EXPECT_EQ(address_in(transfer.Destination), local(4));
    EXPECT_EQ(transfer.TransferSize, 2u * 4096);
    EXPECT_EQ(made->allocation, kNoAllocation);
  });
}

TEST_F(PagingOperations, PartsOfATransferBetweenPlacesSayWhereTheyBegin) {
  with_allocation([&](World& world) {
    const auto parts =
        transfers_of(scene_of(world), {SegmentId{kLocal}, 1}, {SegmentId{kLocal}, 4}, 3, 2);

    ASSERT_EQ(parts.size(), 2u);
    const auto& second = parts.back()->args.Transfer;
    EXPECT_EQ(address_in(second.Source), local(1));
    EXPECT_EQ(address_in(second.Destination), local(4));
    EXPECT_EQ(second.TransferOffset, 2u * 4096);
    EXPECT_EQ(second.TransferSize, 4096u);
    EXPECT_FALSE(second.Flags.TransferStart);
    EXPECT_TRUE(second.Flags.TransferEnd);
  });
}

TEST_F(PagingOperations, MapOfPartOfAnMdlSaysWhereItBegins) {
  with_allocation([&](World& world) {
    std::vector<memory::Frame> frames(3);
    memory::frames_allocate(frames, memory::FrameOwner::Allocation);
    const auto made = map_of(scene_of(world), {SegmentId{kAperture}, 6}, frames, 1);

    const auto& map = made->args.MapApertureSegment;
    EXPECT_EQ(map.SegmentId, kAperture);
    EXPECT_EQ(map.OffsetInPages, 6u);
    EXPECT_EQ(map.NumberOfPages, 2u);
    EXPECT_EQ(map.MdlOffset, 1u);
    const auto& effect = std::get<MapEffect>(made->effect);
    EXPECT_EQ(effect.frames, (std::vector<memory::Frame>{frames[1], frames[2]}));
  });
}

}  // namespace
}  // namespace wddm::host
