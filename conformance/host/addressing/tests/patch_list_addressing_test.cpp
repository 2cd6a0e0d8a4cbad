// What Patch and SubmitCommand are told of a packet.
#include "conformance/host/addressing/patch_list_addressing.h"

#include "conformance/host/tests/host_fixture.h"
#include "conformance/host/tests/packets.h"

namespace wddm::host {
namespace {

class PatchListTest : public HostTest {
 protected:
  /// A running adapter with context 0.
  template <class Body>
  void with_context(Body body) {
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      ASSERT_TRUE(world.objects.contexts().create({0}, {0}, {}));
      driver.calls.clear();
      body(world);
    });
  }
  /// Bytes 16 to 48 and elements 1 and 2 of a buffer, as packet 7 with fence 11.
  static Packet portion() {
    std::shared_ptr<RenderBuffer> buffer = dma_buffer(3);
    buffer->patches.resize(4);
    buffer->given_patches = memory::GuardedArray(buffer->patches, "patch-location list");
    buffer->allocation_list.resize(2);
    buffer->allocations = {kNoAllocation, kNoAllocation};
    buffer->pass = 2;
    Packet packet = packet_of(buffer);
    packet.ordinal = {7};
    packet.fence = {11};
    packet.submissions = 1;
    packet.render()->start = 16;
    packet.render()->end = 48;
    packet.render()->first = 1;
    packet.render()->count = 2;
    packet.render()->addresses.resize(2);
    return packet;
  }
  static Packet paging() {
    Packet packet;
    packet.ordinal = {8};
    packet.fence = {12};
    packet.submissions = 1;
    packet.work = PagingWork{paging_buffer(paging_of(kNoAllocation))};
    return packet;
  }
};

TEST_F(PatchListTest, PatchOfAPortionNamesItsBytesAndElements) {
  with_context([&](World& world) {
    const Packet packet = portion();
    world.addressing.settle(packet);

    ASSERT_EQ(driver.patched.size(), 1u);
    const DXGKARG_PATCH& args = driver.patched[0];
    EXPECT_EQ(args.hContext, reinterpret_cast<HANDLE>(FakeDriver::kContext));
    EXPECT_EQ(args.pDmaBuffer, packet.dma().data());
    EXPECT_EQ(static_cast<std::uint64_t>(args.DmaBufferPhysicalAddress.QuadPart),
              packet.dma().physical_address());
    EXPECT_EQ(args.DmaBufferSize, 256u);
    EXPECT_EQ(args.DmaBufferSubmissionStartOffset, 16u);
    EXPECT_EQ(args.DmaBufferSubmissionEndOffset, 48u);
    EXPECT_EQ(args.pDmaBufferPrivateData, packet.private_data().data());
    EXPECT_EQ(args.DmaBufferPrivateDataSubmissionEndOffset, 8u);
    EXPECT_EQ(args.AllocationListSize, 2u);
    EXPECT_EQ(args.pPatchLocationList, packet.render()->buffer->given_patches.data());
    EXPECT_EQ(args.PatchLocationListSize, 4u);
    EXPECT_EQ(args.PatchLocationListSubmissionStart, 1u);
    EXPECT_EQ(args.PatchLocationListSubmissionLength, 2u);
    EXPECT_EQ(args.SubmissionFenceId, 11u);
    EXPECT_FALSE(args.Flags.Paging);
  });
}

TEST_F(PatchListTest, BufferInAnApertureIsNamedByItsAddressThere) {
  with_context([&](World& world) {
    const Packet packet = portion();
    packet.render()->buffer->window.place = {.segment = SegmentId{2},
                                             .page = 3,
                                             .pages = 1,
                                             .address = FakeDriver::kApertureBase + 12288};
    world.addressing.settle(packet);
    world.addressing.submit(packet);

    ASSERT_EQ(driver.patched.size(), 1u);
    EXPECT_EQ(driver.patched[0].DmaBufferSegmentId, 2u);
    EXPECT_EQ(driver.patched[0].DmaBufferPhysicalAddress.QuadPart,
              static_cast<LONGLONG>(FakeDriver::kApertureBase + 12288));
    ASSERT_EQ(driver.submitted.size(), 1u);
    EXPECT_EQ(driver.submitted[0].DmaBufferSegmentId, 2u);
    EXPECT_EQ(driver.submitted[0].DmaBufferPhysicalAddress.QuadPart,
              static_cast<LONGLONG>(FakeDriver::kApertureBase + 12288));
    EXPECT_EQ(driver.submitted[0].DmaBufferSubmissionStartOffset, 16u);
  });
  EXPECT_EQ(seen<ev::Submitted>().at(0).address, FakeDriver::kApertureBase + 12288);
}

TEST_F(PatchListTest, PatchOfAPagingBufferHasNeitherContextNorLists) {
  with_context([&](World& world) {
    world.addressing.settle(paging());

    ASSERT_EQ(driver.patched.size(), 1u);
    const DXGKARG_PATCH& args = driver.patched[0];
    EXPECT_EQ(args.hContext, nullptr);
    EXPECT_EQ(args.DmaBufferSubmissionStartOffset, 0u);
    EXPECT_EQ(args.DmaBufferSubmissionEndOffset, 32u);
    EXPECT_EQ(args.DmaBufferPrivateDataSubmissionEndOffset, 4u);
    EXPECT_EQ(args.AllocationListSize, 0u);
    EXPECT_EQ(args.PatchLocationListSize, 0u);
    EXPECT_EQ(args.SubmissionFenceId, 12u);
    EXPECT_TRUE(args.Flags.Paging);
  });
}

TEST_F(PatchListTest, BytesThatPatchChangesAreRecorded) {
  driver.on_patch = [](const DXGKARG_PATCH& args) {
    auto* const bytes = static_cast<std::uint8_t*>(const_cast<VOID*>(args.pDmaBuffer));
    bytes[20] = 1;
    bytes[21] = 2;
    bytes[200] = 3;
  };
  with_context([&](World& world) { world.addressing.settle(portion()); });

  const auto ranges = blobs<ev::Patched, RangeRecord>();
  ASSERT_EQ(ranges.size(), 1u);
  ASSERT_EQ(ranges[0].size(), 2u);
  EXPECT_EQ(ranges[0][0].offset, 20u);
  EXPECT_EQ(ranges[0][0].length, 2u);
  EXPECT_EQ(ranges[0][1].offset, 200u);
  const ev::Patched patched = seen<ev::Patched>().at(0);
  EXPECT_EQ(patched.packet, 7u);
  EXPECT_EQ(patched.render, 3u);
  EXPECT_EQ(patched.pass, 2u);
  EXPECT_EQ(patched.round, 0u);
}

TEST_F(PatchListTest, SubmitOfAPortionNamesItsBytesAndNode) {
  with_context([&](World& world) {
    const Packet packet = portion();
    world.addressing.submit(packet);

    ASSERT_EQ(driver.submitted.size(), 1u);
    const DXGKARG_SUBMITCOMMAND& args = driver.submitted[0];
    EXPECT_EQ(args.hContext, reinterpret_cast<HANDLE>(FakeDriver::kContext));
    EXPECT_EQ(static_cast<std::uint64_t>(args.DmaBufferPhysicalAddress.QuadPart),
              packet.dma().physical_address());
    EXPECT_EQ(args.DmaBufferSubmissionStartOffset, 16u);
    EXPECT_EQ(args.DmaBufferSubmissionEndOffset, 48u);
    EXPECT_EQ(args.SubmissionFenceId, 11u);
    EXPECT_EQ(args.NodeOrdinal, 0u);
    EXPECT_FALSE(args.Flags.Paging);
    EXPECT_FALSE(args.Flags.Resubmission);
  });
  EXPECT_EQ(seen<ev::Submitted>().at(0).again, 0u);
}

// EngineOrdinal is the number of the physical adapter, not one within the node.
TEST_F(PatchListTest, EngineOfAPacketIsNodeAndPhysicalAdapter) {
  with_context([&](World& world) {
    Packet packet = portion();
    packet.engine = {.node = NodeId{1}, .physical_adapter = 2};
    world.addressing.settle(packet);
    world.addressing.submit(packet);

    EXPECT_EQ(driver.patched.at(0).EngineOrdinal, 2u);
    EXPECT_EQ(driver.submitted.at(0).NodeOrdinal, 1u);
    EXPECT_EQ(driver.submitted.at(0).EngineOrdinal, 2u);
  });
  EXPECT_EQ(engine_of(seen<ev::Submitted>().at(0)), (EngineId{NodeId{1}, 2}));
}

TEST_F(PatchListTest, SubmitOfAPagingBufferHasNoContext) {
  with_context([&](World& world) {
    world.addressing.submit(paging());

    ASSERT_EQ(driver.submitted.size(), 1u);
    EXPECT_EQ(driver.submitted[0].hContext, nullptr);
    EXPECT_TRUE(driver.submitted[0].Flags.Paging);
    EXPECT_EQ(driver.submitted[0].DmaBufferSubmissionEndOffset, 32u);
  });
  EXPECT_EQ(seen<ev::Submitted>().at(0).context, kNone);
}

TEST_F(PatchListTest, SecondSubmissionSaysSo) {
  with_context([&](World& world) {
    Packet packet = portion();
    packet.submissions = 2;
    world.addressing.submit(packet);
    EXPECT_TRUE(driver.submitted.at(0).Flags.Resubmission);
  });
  EXPECT_EQ(seen<ev::Submitted>().at(0).again, 1u);
}

TEST_F(PatchListTest, DriversBeforeWddm2KnowOfNoResubmission) {
  driver.table.Version = DXGKDDI_INTERFACE_VERSION_WDDM1_3;
  with_context([&](World& world) {
    Packet packet = portion();
    packet.submissions = 2;
    world.addressing.submit(packet);
    EXPECT_FALSE(driver.submitted.at(0).Flags.Resubmission);
  });
  EXPECT_EQ(seen<ev::Submitted>().at(0).again, 1u);
}

TEST_F(PatchListTest, BufferWithValidAddressesIsNotPatched) {
  with_context([&](World& world) {
    const Packet packet = portion();
    RenderBuffer& buffer = *packet.render()->buffer;
    buffer.prepatched = true;
    world.addressing.settle(packet);
    EXPECT_EQ(driver.calls, Calls{});

    // It has moved since.
    Packet moved = packet_of(packet.render()->buffer);
    moved.render()->addresses.resize(2);
    moved.render()->addresses[0].SegmentId = 1;
    world.addressing.settle(moved);
    EXPECT_EQ(driver.calls, Calls{"Patch"});
  });
}

TEST_F(PatchListTest, PagingBuffersArePatchedAsTheScenarioChose) {
  with_context([&](World& world) {
    world.choices.patch_paging = false;
    world.addressing.settle(paging());
    EXPECT_EQ(driver.calls, Calls{});
    world.choices.patch_paging = true;
    world.addressing.settle(paging());
    EXPECT_EQ(driver.calls, Calls{"Patch"});
  });
}

TEST_F(PatchListTest, RepeatedPatchIsComparedWithOneOfAFreshCopy) {
  with_context([&](World& world) {
    world.choices.repatch = 2;
    world.addressing.settle(portion());
  });
  EXPECT_EQ(driver.calls, (Calls{"Patch", "Patch", "Patch", "Patch"}));
  const ev::RepatchCompared compared = seen<ev::RepatchCompared>().at(0);
  EXPECT_EQ(compared.different, 0u);
  EXPECT_EQ(compared.first, kNone);
}

TEST_F(PatchListTest, PatchThatAddsToWhatItFindsDiffers) {
  driver.on_patch = [](const DXGKARG_PATCH& args) {
    ++static_cast<std::uint8_t*>(const_cast<VOID*>(args.pDmaBuffer))[24];
  };
  with_context([&](World& world) {
    world.choices.repatch = 1;
    world.addressing.settle(portion());
  });
  const ev::RepatchCompared compared = seen<ev::RepatchCompared>().at(0);
  EXPECT_EQ(compared.different, 1u);
  EXPECT_EQ(compared.first, 24u);
}

TEST_F(PatchListTest, DriverWithoutPatchIsNotAsked) {
  driver.table.DxgkDdiPatch = nullptr;
  with_context([&](World& world) { world.addressing.settle(portion()); });
  EXPECT_EQ(driver.calls, Calls{});
}

}  // namespace
}  // namespace wddm::host
