// Kernel-mode testing: the interface, contexts, sizes, what is submitted, memory, and paging
// without names.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_045 {
namespace {

constexpr std::uint32_t kTestContext = 1u << 5;
constexpr std::uint32_t kRefused = 0xC000000D;  // STATUS_INVALID_PARAMETER
constexpr std::uint32_t kOverflow = 0x80000005;
constexpr std::uint32_t kNoMemory = 0xC0000017;
constexpr std::uint32_t kCopies = 8;

class Mcdm045 : public TraceTest {
 protected:
  // The driver that all but one of the tests are about.
  static ev::TestingOffered offer() {
    return {.enabled = 1,
            .size = 8,
            .function = 1,
            .interface_size = sizeof(DXGKDDI_FEATURE_INTERFACE),
            .interface_version = 1,
            .references = 3};
  }
  void offers() { add(offer()); }
  void makes_context(std::uint32_t status, std::uint32_t flags = kTestContext) {
    add(ev::ContextCreated{.context = 1, .status = status, .flags = flags});
  }
  void builds(TestCall call, std::uint32_t status, std::uint32_t before, std::uint32_t after,
              std::uint32_t private_before = 0, std::uint32_t private_after = 0) {
    add(ev::TestBufferBuilt{.context = 1,
                            .operation = D3DDDI_TESTCOMMANDBUFFEROP_FILL,
                            .call = static_cast<std::uint32_t>(call),
                            .status = status,
                            .dma_before = before,
                            .dma_after = after,
                            .private_before = private_before,
                            .private_after = private_after});
  }
  void submits(std::uint32_t status = 0, std::uint32_t changed = 0) {
    add(ev::TestSubmitted{.render = 7, .context = 1, .changed = changed});
    add(ev::Submitted{.packet = 3, .render = 7, .context = 1, .status = status});
  }
  void ends(PacketFate fate) {
    add(ev::PacketEnded{.packet = 3, .fate = static_cast<std::uint32_t>(fate)});
  }
  void compares() {
    add(ev::MemoryChecked{
        .bytes = 4096, .cause = static_cast<std::uint32_t>(MemoryCause::Render), .object = 3});
  }
  void differs(std::uint32_t packet = 3, MemoryCause cause = MemoryCause::Render) {
    add(ev::MemoryDiffers{
        .length = 4, .cause = static_cast<std::uint32_t>(cause), .cause_object = packet});
  }
  bool holds() { return TraceTest::holds("MCDM-045"); }
  std::uint32_t reached() { return times_reached("MCDM-045"); }
};

// -- the interface

TEST_F(Mcdm045, AnInterfaceWithItsFunction) {
  offers();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Mcdm045, ADriverWithoutTheFeatureOwesNothing) {
  add(ev::TestingOffered{.status = kRefused});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

constexpr std::uint32_t kForTests = 1u << 4;  // DXGK_NODEMETADATA_FLAGS

TEST_F(Mcdm045, NodesForTestingWithoutTheFeature) {
  add(ev::NodeAnswered{.ordinal = 0, .nodes = 2});
  add(ev::TestingOffered{});
  EXPECT_TRUE(holds()) << "no node says so";
  add(ev::NodeAnswered{.ordinal = 1, .flags = kForTests, .nodes = 2});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, NodesThatAreNotThereOrSayNothing) {
  constexpr std::uint32_t kFlags = 4;  // NodeAnswered::unwritten
  add(ev::NodeAnswered{.ordinal = 2, .flags = kForTests, .nodes = 2});
  add(ev::NodeAnswered{.ordinal = 0, .status = kRefused, .flags = kForTests, .nodes = 2});
  add(ev::NodeAnswered{.ordinal = 1, .flags = kForTests, .unwritten = kFlags, .nodes = 2});
  add(ev::TestingOffered{});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm045, NodesForTestingWhileMemoryIsShort) {
  op(OpKind::FailPool);
  add(ev::NodeAnswered{.ordinal = 0, .flags = kForTests, .nodes = 1});
  add(ev::TestingOffered{});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm045, NoInterfaceForAFeatureThatIsSupported) {
  ev::TestingOffered refused = offer();
  refused.status = kRefused;
  add(refused);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, AnInterfaceWithoutItsFunction) {
  ev::TestingOffered empty = offer();
  empty.function = 0;
  add(empty);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, AnInterfaceOfAnotherSize) {
  ev::TestingOffered other = offer();
  other.size = 16;
  add(other);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, AnInterfaceThatIsWrittenBehind) {
  ev::TestingOffered beyond = offer();
  beyond.behind = 8;
  add(beyond);
  EXPECT_FALSE(holds());
}

// What every interface of DxgkDdiQueryInterface begins with.
TEST_F(Mcdm045, TheHeaderSaysHowLargeTheInterfaceIs) {
  ev::TestingOffered nothing = offer();
  nothing.interface_size = 0;
  add(nothing);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, ItIsNoLargerThanAskedFor) {
  ev::TestingOffered more = offer();
  more.interface_size += 8;
  add(more);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, ItMayBeThatOfTheHeaderAlone) {
  ev::TestingOffered header = offer();
  header.interface_size = sizeof(INTERFACE);
  add(header);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm045, ItSaysTheVersionThatWasAskedFor) {
  ev::TestingOffered another = offer();
  another.interface_version = 2;
  add(another);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, ItHasReferences) {
  ev::TestingOffered none = offer();
  none.references = 1;
  add(none);
  EXPECT_FALSE(holds());
}

// -- contexts

TEST_F(Mcdm045, ATestContextIsMade) {
  offers();
  makes_context(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Mcdm045, ATestContextIsRefused) {
  offers();
  makes_context(kRefused);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, ForWantOfMemoryInAScenarioThatTakesIt) {
  op(OpKind::FailPool);
  offers();
  makes_context(kNoMemory);
  builds(TestCall::Sizes, kNoMemory, 0, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm045, OtherContextsMayWantPrivateData) {
  offers();
  makes_context(kRefused, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

// -- sizes

TEST_F(Mcdm045, SizesAndThenTheBuffers) {
  offers();
  builds(TestCall::Sizes, kOverflow, 0, 64, 0, 16);
  builds(TestCall::Exact, 0, 64, 60, 16, 16);
  builds(TestCall::Short, kOverflow, 59, 64, 16, 16);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 4u);
}

TEST_F(Mcdm045, ShortBuffersMayBeMadeDoWith) {
  offers();
  builds(TestCall::Short, 0, 59, 56, 16, 16);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm045, PrivateDataThatIsTooShortOrMissing) {
  offers();
  builds(TestCall::Short, kOverflow, 64, 60, 15, 16);
  builds(TestCall::Short, kOverflow, 64, 60, 0, 16);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 3u);
}

TEST_F(Mcdm045, ADriverMayMakeDoWithoutPrivateData) {
  offers();
  builds(TestCall::Short, 0, 64, 64, 0, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm045, PrivateDataThatHadNoRoom) {
  offers();
  builds(TestCall::Short, 0, 64, 60, 15, 16);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, PrivateDataThatHadNoBuffer) {
  offers();
  builds(TestCall::Short, 0, 64, 60, 0, 16);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, OverflowThatAsksForNoMorePrivateData) {
  offers();
  builds(TestCall::Short, kOverflow, 64, 60, 15, 15);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, CommandsWithoutADmaBuffer) {
  offers();
  builds(TestCall::Short, 0, 0, 0, 16, 16);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, TheMostThatIsAllowed) {
  offers();
  builds(TestCall::Sizes, kOverflow, 0, 4096, 0, 1024);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm045, MoreCommandsThanAreAllowed) {
  offers();
  builds(TestCall::Sizes, kOverflow, 0, 4100);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, MorePrivateDataThanIsAllowed) {
  offers();
  builds(TestCall::Sizes, kOverflow, 0, 64, 0, 1025);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, AnotherStatusWhileThereAreNoBuffers) {
  offers();
  builds(TestCall::Sizes, 0xC0000023, 0, 64);  // STATUS_BUFFER_TOO_SMALL
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, SuccessWithoutBuffers) {
  offers();
  builds(TestCall::Sizes, 0, 0, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, NoSizesWithTheOverflow) {
  offers();
  builds(TestCall::Sizes, kOverflow, 0, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, OverflowOfBuffersAsLargeAsAskedFor) {
  offers();
  builds(TestCall::Exact, kOverflow, 64, 72, 16, 16);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, ACommandThatIsNotBuilt) {
  offers();
  builds(TestCall::Exact, kRefused, 64, 64, 16, 16);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, MoreWrittenThanThereWasRoomFor) {
  offers();
  builds(TestCall::Exact, 0, 64, 68, 16, 16);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, ShortBuffersThatAreSaidToBeLargeEnough) {
  offers();
  builds(TestCall::Short, kOverflow, 59, 59, 16, 16);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, BuffersThatAreWrittenBehind) {
  offers();
  add(ev::TestBufferBuilt{.call = static_cast<std::uint32_t>(TestCall::Exact),
                          .dma_before = 64,
                          .dma_after = 64,
                          .behind = 4});
  EXPECT_FALSE(holds());
}

// -- what is submitted

TEST_F(Mcdm045, ACommandThatDoesWhatItSays) {
  offers();
  submits();
  ends(PacketFate::Completed);
  compares();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 3u);
}

TEST_F(Mcdm045, ABufferOfTheDriversOwnIsRefused) {
  offers();
  submits(kRefused);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, OtherBytesThanTheRangeChange) {
  offers();
  submits();
  differs();
  compares();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, WhatOthersLeaveInMemoryIsNotItsAffair) {
  offers();
  submits();
  differs(4);
  differs(3, MemoryCause::Paging);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm045, APageFaultAtMappedAddresses) {
  offers();
  submits();
  ends(PacketFate::Faulted);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, APageFaultWhereMappingsAreTakenAway) {
  op(OpKind::FreeAddress);
  offers();
  submits();
  ends(PacketFate::Faulted);
  EXPECT_TRUE(holds());
}

// -- what user mode alters

TEST_F(Mcdm045, AlteredBuffersMayBeRefusedOrFault) {
  offers();
  submits(kRefused, 1);
  EXPECT_TRUE(holds());
  ends(PacketFate::Faulted);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm045, AlteredBuffersThatReachOtherMemory) {
  offers();
  submits(0, 1);
  differs();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, ARefusedBufferThatChangesMemory) {
  offers();
  submits(kRefused, 1);
  differs();
  EXPECT_FALSE(holds());
}

// -- paging

TEST_F(Mcdm045, PagingWithoutNames) {
  offers();
  add(ev::PagingNames{.nameless = 1});
  add(ev::PagingBuilt{.operation = kCopies, .status = 0});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Mcdm045, PagingThatWantsMoreRoom) {
  offers();
  add(ev::PagingNames{.nameless = 1});
  add(ev::PagingBuilt{
      .operation = kCopies,
      .status = static_cast<std::uint32_t>(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm045, PagingWithoutNamesIsRefused) {
  offers();
  add(ev::PagingNames{.nameless = 1});
  add(ev::PagingBuilt{.operation = kCopies, .status = kRefused});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm045, PagingWithNamesIsNotItsAffair) {
  offers();
  add(ev::PagingNames{.nameless = 1});
  add(ev::PagingNames{.nameless = 0});
  add(ev::PagingBuilt{.operation = kCopies, .status = kRefused});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Mcdm045, OtherPagingIsNotItsAffair) {
  offers();
  add(ev::PagingNames{.nameless = 1});
  add(ev::PagingBuilt{.operation = DXGK_OPERATION_UPDATE_PAGE_TABLE, .status = kRefused});
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::mcdm_045
