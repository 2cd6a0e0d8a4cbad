// Choices are written down for whoever decides, and hold until they are made anew.
#include "conformance/host/tests/play_fixture.h"

namespace wddm::host {
namespace {

class ChoicesOps : public PlayTest {
 protected:
  /// What is chosen after these ops.
  Choices after(const std::vector<Op>& ops) {
    Choices chosen;
    on_machine([&](World& world) {
      interpret(world, {}, ops);
      chosen = world.choices;
    });
    return chosen;
  }
};

TEST_F(ChoicesOps, OfBuffers) {
  const Choices chosen =
      after({op(OpKind::SplitPoints, static_cast<std::uint8_t>(Take::Mask), 0, 0, 5),
             op(OpKind::Prepatch, static_cast<std::uint8_t>(PrepatchMode::SkipPatch)),
             op(OpKind::Interleave, 1), op(OpKind::Scramble, 1), op(OpKind::Repatch, 0, 0, 0, 3),
             op(OpKind::QueueDepth, 0, 0, 0, 7)});
  EXPECT_EQ(chosen.take, Take::Mask);
  EXPECT_EQ(chosen.take_mask, 5u);
  EXPECT_EQ(chosen.prepatch, PrepatchMode::SkipPatch);
  EXPECT_TRUE(chosen.interleave);
  EXPECT_TRUE(chosen.scramble);
  EXPECT_EQ(chosen.repatch, 3u);
  EXPECT_EQ(chosen.queue_depth, 7u);
}

TEST_F(ChoicesOps, OfPaging) {
  const Choices chosen =
      after({op(OpKind::PagingBuffer, static_cast<std::uint8_t>(Measure::NeededPlus), 0, 0, 96),
             op(OpKind::PatchPaging, 0), op(OpKind::TransferChunk, 1, 0, 0, 2),
             op(OpKind::AwaitPaging, 1)});
  EXPECT_TRUE(chosen.await_paging);
  EXPECT_EQ(chosen.paging_bytes, 96u);
  EXPECT_EQ(chosen.paging_measure, Measure::NeededPlus);
  EXPECT_FALSE(chosen.patch_paging);
  EXPECT_EQ(chosen.transfer_chunk_pages, 2u);
  EXPECT_TRUE(chosen.across_leaves);
}

TEST_F(ChoicesOps, LargeTransfersAreInNoMorePartsThanMeanSomething) {
  Choices chosen = after({op(OpKind::TransferChunk, 0, 0, 0, 3)});
  EXPECT_EQ(chosen.chunk_of(3 * 256), 3u);
  EXPECT_EQ(chosen.chunk_of(3 * 256 + 1), 4u);
  EXPECT_EQ(chosen.chunk_of(4096, 64), 64u);
  chosen.transfer_chunk_pages = 0;
  EXPECT_EQ(chosen.chunk_of(4096), 0u) << "whole";
}

TEST_F(ChoicesOps, ClientsDoNotWait) {
  EXPECT_TRUE(after({op(OpKind::Hurry, 1)}).hurry);
}

TEST_F(ChoicesOps, PassesAlternate) {
  EXPECT_TRUE(after({op(OpKind::AlternatePasses, 1)}).alternate_passes);
}

TEST_F(ChoicesOps, PassesFollowEachOtherAgain) {
  EXPECT_FALSE(
      after({op(OpKind::AlternatePasses, 1), op(OpKind::AlternatePasses, 0)}).alternate_passes);
}

TEST_F(ChoicesOps, ClientsWaitAgain) {
  EXPECT_FALSE(after({op(OpKind::Hurry, 1), op(OpKind::Hurry, 0)}).hurry);
}

TEST_F(ChoicesOps, PagingRunsWhereTheDriverSays) {
  driver.caps.GpuEngineTopology.NbAsymetricProcessingNodes = 2;
  driver.caps.MemoryManagementCaps.PagingNode = 1;
  driver.caps.SchedulingCaps.MultiEngineAware = 1;
  const Choices chosen = after({op(OpKind::Start), op(OpKind::PagingNode, 0)});
  EXPECT_EQ(chosen.paging_engine.node, NodeId{1});
}

TEST_F(ChoicesOps, PagingRunsOnNode0WhereThereAreNoOthers) {
  driver.caps.GpuEngineTopology.NbAsymetricProcessingNodes = 2;
  driver.caps.MemoryManagementCaps.PagingNode = 1;
  driver.caps.SchedulingCaps.MultiEngineAware = 0;
  const Choices chosen = after({op(OpKind::Start), op(OpKind::PagingNode, 0)});
  EXPECT_EQ(chosen.paging_engine.node, NodeId{0});
}

TEST_F(ChoicesOps, TheDriverIsToldOfTheQueueThatWasAnnounced) {
  on_machine([&](World& world) {
    interpret(world, {},
              std::vector<Op>{op(OpKind::AnnounceQueue, 0, 0, 0, 21), op(OpKind::Start)});
    EXPECT_EQ(world.adapter.queue_entries(), 21u);
  });
}

TEST_F(ChoicesOps, AnswersArePrefilled) {
  EXPECT_TRUE(after({op(OpKind::Prefill, 1)}).prefill);
}

TEST_F(ChoicesOps, AnswersAreNoLongerPrefilled) {
  EXPECT_FALSE(after({op(OpKind::Prefill, 1), op(OpKind::Prefill, 0)}).prefill);
}

TEST_F(ChoicesOps, TheLatestHolds) {
  const Choices chosen = after({op(OpKind::Interleave, 1), op(OpKind::Interleave, 0)});
  EXPECT_FALSE(chosen.interleave);
}

}  // namespace
}  // namespace wddm::host
