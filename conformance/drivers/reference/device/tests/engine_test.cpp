// Ring, packets, engines side by side, resets and context state.
#include "conformance/drivers/reference/device/tests/bench_gpu.h"

namespace wddm::reference_device {
namespace {

using EngineTest = BenchGpu;

TEST_F(EngineTest, PacketRunsToItsEndAndSetsItsFence) {
  submit(buffer(spin(3), 7));
  EXPECT_EQ(run(), 3u);
  EXPECT_EQ(node_reg(0, HW_NODE_FENCE), 7u);
  EXPECT_EQ(node_reg(0, HW_NODE_COMPLETED), 1u);
  EXPECT_EQ(node_reg(0, HW_NODE_STATE), HW_STATE_IDLE);
}

TEST_F(EngineTest, IdleGpuUsesNoTime) {
  EXPECT_EQ(run(), 0u);
}

TEST_F(EngineTest, PacketsRunInRingOrderAcrossTheWrap) {
  for (std::uint32_t fence = 1; fence <= kRingEntries + 3; ++fence) {
    submit(buffer(spin(1), fence));
    run();
    EXPECT_EQ(node_reg(0, HW_NODE_FENCE), fence);
  }
}

TEST_F(EngineTest, OnlyTheSubmittedRangeIsFetched) {
  const Words words =
      join({set_base(0, HW_LOCAL_BASE), constant(0, 5), add(0, 0, 0), add(0, 0, 0), add(0, 0, 0)});
  HwRingEntry entry = buffer(words, 1);
  entry.end_offset -= 8;  // without the last ADD
  submit(entry);
  run();
  EXPECT_EQ(local_word(0), 10u);
  for (const WddmDeviceEvent& event : events()) {
    if (event.kind != WDDM_DEVICE_FETCH) continue;
    EXPECT_GE(event.address, entry.dma_address);
    EXPECT_LE(event.address + event.length, entry.dma_address + entry.end_offset);
  }
}

TEST_F(EngineTest, StartOffsetSkipsWhatLiesBefore) {
  const Words head = join({set_base(0, HW_LOCAL_BASE), constant(0, 5), add(0, 0, 0)});
  HwRingEntry whole = buffer(join({head, add(0, 0, 4)}), 1);
  HwRingEntry first = whole;
  first.end_offset = static_cast<std::uint32_t>(head.size() * 4);
  HwRingEntry second = whole;
  second.start_offset = second.resume_offset = first.end_offset;
  second.fence = 2;
  submit(first);
  submit(second);
  run();
  EXPECT_EQ(local_word(0), 5u);
  EXPECT_EQ(local_word(4), 5u);
  EXPECT_EQ(node_reg(0, HW_NODE_FENCE), 2u);
}

TEST_F(EngineTest, EmptyPacketCompletesInItsTurn) {
  submit(buffer(spin(2), 1));
  HwRingEntry empty = buffer({}, 2, kDmaPage + 1);
  submit(empty);
  run(2);
  EXPECT_EQ(node_reg(0, HW_NODE_FENCE), 1u);
  run(1);
  EXPECT_EQ(node_reg(0, HW_NODE_FENCE), 2u);
}

TEST_F(EngineTest, EnginesWorkSideBySide) {
  submit(buffer(spin(10), 1), HW_NODE_RENDER);
  submit(buffer(spin(10), 1, kDmaPage + 1), HW_NODE_COPY);
  EXPECT_EQ(run(), 10u);
}

TEST_F(EngineTest, ManyUnitsAtOnceAreOneUnitManyTimes) {
  submit(buffer(spin(10), 1), HW_NODE_RENDER);
  submit(buffer(spin(4), 2, kDmaPage + 1), HW_NODE_COPY);
  EXPECT_EQ(run(3), 3u);
  EXPECT_EQ(node_reg(1, HW_NODE_COMPLETED), 0u);
  EXPECT_EQ(run(1), 1u);
  EXPECT_EQ(node_reg(1, HW_NODE_FENCE), 2u);
  EXPECT_EQ(run(5), 5u);
  EXPECT_EQ(node_reg(0, HW_NODE_COMPLETED), 0u);
  EXPECT_EQ(run(5), 1u);
  EXPECT_EQ(node_reg(0, HW_NODE_FENCE), 1u);
}

TEST_F(EngineTest, WaitHoldsUntilTheOtherEngineSignals) {
  submit(buffer(join({constant(0, 3), wait(5, 0)}), 1), HW_NODE_RENDER);
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_STATE), HW_STATE_WAITING);
  EXPECT_EQ(run(), 0u) << "a stalled engine uses no time";
  submit(buffer(join({constant(0, 3), signal(5, 0)}), 1, kDmaPage + 1), HW_NODE_COPY);
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_FENCE), 1u);
}

TEST_F(EngineTest, DmaBufferMayLieInTheAperture) {
  const Words words = join({set_base(0, HW_LOCAL_BASE), constant(0, 1), add(0, 0, 0)});
  HwRingEntry entry = buffer(words, 1);
  write64(HW_REG_APERTURE_INIT, physical(kDmaPage));
  entry.dma_address = HW_APERTURE_BASE + 3 * HW_PAGE_SIZE;
  entry.flags = HW_ENTRY_DMA_IN_APERTURE;
  submit(entry);
  run();
  EXPECT_EQ(local_word(0), 1u);
}

TEST_F(EngineTest, UnknownCommandHangsUntilTheEngineIsReset) {
  submit(buffer({HW_COMMAND(HW_OP_USER_BIND, 3, 0, 0), 0, 0}, 1));
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_STATE), HW_STATE_HUNG);
  write(HW_REG_NODE(0, HW_NODE_CONTROL), HW_CONTROL_RUN | HW_CONTROL_RESET);
  submit(buffer(spin(1), 2));
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_FENCE), 2u);
}

TEST_F(EngineTest, CommandCutByTheEndOfThePacketHangs) {
  HwRingEntry entry = buffer(spin(1), 1);
  entry.end_offset = 4;
  submit(entry);
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_STATE), HW_STATE_HUNG);
  EXPECT_EQ(count_events(WDDM_DEVICE_FAULT), 1u);
}

TEST_F(EngineTest, EngineResetLeavesTheOtherEngineAlone) {
  submit(buffer(spin(100), 1), HW_NODE_RENDER);
  submit(buffer(spin(5), 9, kDmaPage + 1), HW_NODE_COPY);
  run(2);
  write(HW_REG_NODE(0, HW_NODE_CONTROL), HW_CONTROL_RUN | HW_CONTROL_RESET);
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_COMPLETED), 0u);
  EXPECT_EQ(node_reg(1, HW_NODE_FENCE), 9u);
}

TEST_F(EngineTest, ContextStateSurvivesAnotherContext) {
  const std::uint64_t x = make_context(0, 0);
  const std::uint64_t y = make_context(1, 0);
  constexpr std::uint32_t kBoth = HW_ENTRY_RESTORE_CONTEXT | HW_ENTRY_SAVE_CONTEXT;
  HwRingEntry x1 = buffer(constant(0, 11), 1, kDmaPage);
  HwRingEntry y1 = buffer(constant(0, 99), 2, kDmaPage + 1);
  HwRingEntry x2 = buffer(join({set_base(0, HW_LOCAL_BASE), add(0, 0, 0)}), 3, kDmaPage + 2);
  x1.context_image = x2.context_image = x;
  y1.context_image = y;
  x1.flags = y1.flags = x2.flags = kBoth;
  for (const HwRingEntry& entry : {x1, y1, x2}) submit(entry);
  run();
  EXPECT_EQ(local_word(0), 11u);
}

TEST_F(EngineTest, WithoutRestoreTheOtherContextsStateIsUsed) {
  HwRingEntry x1 = buffer(constant(0, 11), 1, kDmaPage);
  HwRingEntry y1 = buffer(constant(0, 99), 2, kDmaPage + 1);
  HwRingEntry x2 = buffer(join({set_base(0, HW_LOCAL_BASE), add(0, 0, 0)}), 3, kDmaPage + 2);
  x1.context_image = x2.context_image = make_context(0, 0);
  y1.context_image = make_context(1, 0);
  x1.flags = y1.flags = HW_ENTRY_RESTORE_CONTEXT | HW_ENTRY_SAVE_CONTEXT;
  x2.flags = HW_ENTRY_SAVE_CONTEXT;
  for (const HwRingEntry& entry : {x1, y1, x2}) submit(entry);
  run();
  EXPECT_EQ(local_word(0), 99u);
}

TEST_F(EngineTest, ContextImageThatWasNeverInitialisedHangs) {
  HwRingEntry entry = buffer(spin(1), 1);
  entry.context_image = physical(kContextPage) + 1024;
  entry.flags = HW_ENTRY_RESTORE_CONTEXT;
  submit(entry);
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_STATE), HW_STATE_HUNG);
}

TEST_F(EngineTest, ScrambleChangesSlotsAndConstantsOfAnIdleEngine) {
  submit(buffer(join({set_base(4, HW_LOCAL_BASE), constant(2, 8)}), 1));
  run();
  device->scramble(gpu, 0, 1);
  EXPECT_NE(node_reg(0, HW_NODE_SLOT(4)), low(HW_LOCAL_BASE));
  EXPECT_NE(node_reg(0, HW_NODE_CONSTANT(2)), 8u);
}

}  // namespace
}  // namespace wddm::reference_device
