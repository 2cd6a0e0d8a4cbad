// Preemption: what stops, what is discarded, what is reported, and that resuming loses nothing.
#include "conformance/drivers/reference/device/tests/bench_gpu.h"

namespace wddm::reference_device {
namespace {

class PreemptionTest : public BenchGpu {
 protected:
  void preempt(std::uint32_t request, std::uint32_t mode = HW_PREEMPT_DISCARD_QUEUED) {
    write(HW_REG_NODE(0, HW_NODE_PREEMPT_MODE), mode);
    write(HW_REG_NODE(0, HW_NODE_PREEMPT), request);
  }
  void acknowledge() { write(HW_REG_NODE(0, HW_NODE_INT_ACK), HW_CAUSE_PREEMPTED); }
  /// The stopped packet, as a driver would submit it again.
  HwRingEntry resumed(HwRingEntry entry, std::uint32_t fence) {
    entry.fence = fence;
    entry.resume_offset = node_reg(0, HW_NODE_STOPPED_OFFSET);
    entry.resume_units = node_reg(0, HW_NODE_STOPPED_UNITS);
    return entry;
  }
};

TEST_F(PreemptionTest, StopsInsideSpinAfterTheUnitInProgress) {
  submit(buffer(spin(1000), 10));
  run(5);
  preempt(50);
  EXPECT_EQ(run(), 2u);
  EXPECT_EQ(node_reg(0, HW_NODE_STATE), HW_STATE_HALTED);
  EXPECT_EQ(node_reg(0, HW_NODE_PREEMPTED_REQUEST), 50u);
  EXPECT_EQ(node_reg(0, HW_NODE_PREEMPTED_FENCE), 0u);
  EXPECT_EQ(node_reg(0, HW_NODE_STOPPED), 1u);
  EXPECT_EQ(node_reg(0, HW_NODE_STOPPED_UNITS), 6u);
}

TEST_F(PreemptionTest, PacketThatEndsWithTheUnitInProgressIsCompleted) {
  submit(buffer(spin(6), 10));
  run(5);
  preempt(50);
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_PREEMPTED_FENCE), 10u);
  EXPECT_EQ(node_reg(0, HW_NODE_STOPPED), 0u);
  EXPECT_EQ(node_reg(0, HW_NODE_INT_CAUSE), HW_CAUSE_COMPLETED | HW_CAUSE_PREEMPTED);
}

TEST_F(PreemptionTest, IdleEngineAnswersAtOnce) {
  preempt(50);
  EXPECT_EQ(run(), 1u);
  EXPECT_EQ(node_reg(0, HW_NODE_PREEMPTED_REQUEST), 50u);
  EXPECT_EQ(node_reg(0, HW_NODE_STOPPED), 0u);
}

TEST_F(PreemptionTest, QueuedEntriesAreDiscardedIfAskedFor) {
  submit(buffer(spin(1000), 10));
  submit(buffer(spin(1), 11, kDmaPage + 1));
  submit(buffer(spin(1), 12, kDmaPage + 2));
  run(1);
  EXPECT_EQ(node_reg(0, HW_NODE_ACTIVE), 1u);
  preempt(50);
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_ACTIVE), 0u);
  EXPECT_EQ(node_reg(0, HW_NODE_DISCARDED), 2u);
  EXPECT_EQ(node_reg(0, HW_NODE_RING_HEAD), 3u);
  acknowledge();
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_COMPLETED), 0u);
  EXPECT_EQ(node_reg(0, HW_NODE_STATE), HW_STATE_IDLE);
}

TEST_F(PreemptionTest, QueuedEntriesRunAfterTheAcknowledgementOtherwise) {
  submit(buffer(spin(1000), 10));
  submit(buffer(spin(1), 11, kDmaPage + 1));
  run(1);
  preempt(50, 0);
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_COMPLETED), 0u) << "the engine halts until then";
  acknowledge();
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_FENCE), 11u);
}

TEST_F(PreemptionTest, EntriesQueuedAfterTheRequestAreKept) {
  submit(buffer(spin(1000), 10));
  run(1);
  preempt(50);
  submit(buffer(spin(1), 60, kDmaPage + 1));
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_DISCARDED), 0u);
  acknowledge();
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_FENCE), 60u);
}

TEST_F(PreemptionTest, WaitCanBePreempted) {
  submit(buffer(join({constant(0, 1), wait(3, 0)}), 10));
  run();
  preempt(50);
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_STATE), HW_STATE_HALTED);
  EXPECT_EQ(node_reg(0, HW_NODE_STOPPED_OFFSET), 8u);
}

TEST_F(PreemptionTest, HungEngineDoesNotAnswer) {
  submit(buffer({0}, 10));
  run();
  preempt(50);
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_STATE), HW_STATE_HUNG);
  EXPECT_EQ(node_reg(0, HW_NODE_INT_CAUSE), 0u);
}

// Preempts after every possible number of units; the sum must come out as if nothing happened.
TEST_F(PreemptionTest, ResumedPacketDoesEachCommandOnce) {
  const Words words = join({set_base(0, HW_LOCAL_BASE), constant(0, 3), add(0, 0, 0), spin(4),
                            add(0, 0, 0), fill(0, 0, 4096, 3 * 4096), add(0, 0, 0)});
  for (std::uint32_t before = 0; before < 14; ++before) {
    SCOPED_TRACE(before);
    std::memset(local.data(), 0, local.size());
    const HwRingEntry entry = buffer(words, 100 + before);
    submit(entry);
    run(before);
    preempt(50);
    run();
    const bool stopped = node_reg(0, HW_NODE_STOPPED) != 0;
    acknowledge();
    device->scramble(gpu, 0, before);  // paging ran in between
    if (stopped) {
      submit(resumed(entry, 200 + before));
    } else if (before == 0) {
      submit(entry);  // it had not begun
    }
    run();
    EXPECT_EQ(local_word(0), 9u);
    EXPECT_EQ(local_word(4096), 3u);
    EXPECT_EQ(local_word(4 * 4096 - 4), 3u);
  }
}

TEST_F(PreemptionTest, ResumedPacketUsesAddressesThatWerePatchedMeanwhile) {
  Words words = join({set_base(0, HW_LOCAL_BASE), constant(0, 3), spin(100), add(0, 0, 0)});
  const HwRingEntry entry = buffer(words, 10);
  submit(entry);
  run(10);
  preempt(50);
  run();
  acknowledge();
  words[2] = low(HW_LOCAL_BASE + 0x8000);
  buffer(words, 0);
  submit(resumed(entry, 11));
  run();
  EXPECT_EQ(local_word(0), 0u);
  EXPECT_EQ(local_word(0x8000), 3u);
}

}  // namespace
}  // namespace wddm::reference_device
