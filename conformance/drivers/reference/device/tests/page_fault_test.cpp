// Page faults: what the engine latches, what becomes of the packet, and how it goes on.
#include "conformance/drivers/reference/device/tests/bench_mmu.h"

namespace wddm::reference_device {
namespace {

class PageFaultTest : public BenchMmu {
 protected:
  PageFaultTest() {
    make_tables();
    map(kData, local_address(9) | HW_PTE_VALID);
  }
  static constexpr std::uint64_t kNowhere = kData + HW_PAGE_SIZE;
};

TEST_F(PageFaultTest, EngineLatchesTheAccessAndRaisesItsCause) {
  execute(store(kNowhere + 8, 1), 42);
  EXPECT_TRUE(faulted());
  EXPECT_EQ(node_reg(0, HW_NODE_INT_CAUSE), HW_CAUSE_FAULTED);
  EXPECT_EQ(fault_address(), kNowhere + 8);
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_LEVEL), 0u);
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_ACCESS), HW_ACCESS_WRITE);
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_SPACE), kSpace);
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_FENCE), 42u);
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_INDEX), 0u);
}

TEST_F(PageFaultTest, LogTellsItOnceWithItsAccess) {
  execute(load(kNowhere, kData), 42);
  std::vector<WddmDeviceEvent> faults;
  for (const WddmDeviceEvent& event : events()) {
    if (event.kind == WDDM_DEVICE_PAGE_FAULT) faults.push_back(event);
  }
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].address, kNowhere);
  EXPECT_EQ(faults[0].tag, 42u);
  EXPECT_EQ(faults[0].level, 0u);
  EXPECT_EQ(faults[0].write, 0u);
  EXPECT_EQ(faults[0].process, kSpace);
}

TEST_F(PageFaultTest, RaisesTheInterruptLine) {
  write(HW_REG_INT_ENABLE, 1);
  execute(store(kNowhere, 1));
  EXPECT_EQ(read(HW_REG_INT_STATUS), 1u);
  acknowledge_fault();
  EXPECT_EQ(line_changes, (std::vector<int>{1, 0}));
}

TEST_F(PageFaultTest, PacketIsDroppedAndTheNextOneGoesOnAfterTheAcknowledgement) {
  submit(virtual_buffer(store(kNowhere, 1), 5));
  HwRingEntry next =
      buffer(join({set_base(1, HW_LOCAL_BASE), constant(0, 3), fill(1, 0, 0, 4)}), 6, kDmaPage + 1);
  submit(next);
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_FENCE), 0u);
  EXPECT_EQ(local_word(0), 0u);

  acknowledge_fault();
  EXPECT_EQ(node_reg(0, HW_NODE_FENCE), 5u);
  EXPECT_EQ(node_reg(0, HW_NODE_COMPLETED), 0u);
  run();
  EXPECT_EQ(local_word(0), 3u);
  EXPECT_EQ(node_reg(0, HW_NODE_COMPLETED), 1u);
  EXPECT_EQ(node_reg(0, HW_NODE_COMPLETED_FENCE), 6u);
}

TEST_F(PageFaultTest, AccessInTwoPagesDoesNothingIfOneFaults) {
  execute(join({set_base(3, kNowhere - 8), constant(0, 5), fill(3, 0, 0, 16)}));
  EXPECT_TRUE(faulted());
  EXPECT_EQ(fault_address(), kNowhere);
  EXPECT_EQ(local_word(10 * HW_PAGE_SIZE - 8), 0u);
}

TEST_F(PageFaultTest, FaultedSourceLeavesTheDestinationAlone) {
  std::memset(local.data() + 9 * HW_PAGE_SIZE, 0x11, 16);
  execute(load(kNowhere, kData));
  EXPECT_EQ(local_word(9 * HW_PAGE_SIZE), 0x11111111u);
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_ACCESS), HW_ACCESS_READ);
}

TEST_F(PageFaultTest, AddFaultsWhereItReads) {
  execute(join({set_base(3, kNowhere), constant(0, 5), add(3, 0, 0)}));
  EXPECT_TRUE(faulted());
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_ACCESS), HW_ACCESS_READ);
}

TEST_F(PageFaultTest, CommandBufferThatIsNotMappedIsAFault) {
  HwRingEntry entry = virtual_buffer(store(kData, 1), 1);
  entry.dma_address = kNowhere;
  submit(entry);
  run();
  EXPECT_TRUE(faulted());
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_ACCESS), HW_ACCESS_FETCH);
}

TEST_F(PageFaultTest, PreemptionIsAnsweredAfterTheAcknowledgement) {
  execute(store(kNowhere, 1), 5);
  write(HW_REG_NODE(0, HW_NODE_PREEMPT), 100);
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_INT_CAUSE), HW_CAUSE_FAULTED);
  acknowledge_fault();
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_INT_CAUSE), HW_CAUSE_PREEMPTED);
  EXPECT_EQ(node_reg(0, HW_NODE_PREEMPTED_FENCE), 5u);
  EXPECT_EQ(node_reg(0, HW_NODE_STOPPED), 0u);
}

TEST_F(PageFaultTest, ResetOfTheEngineEndsIt) {
  execute(store(kNowhere, 1), 5);
  write(HW_REG_NODE(0, HW_NODE_CONTROL), HW_CONTROL_RUN | HW_CONTROL_RESET);
  EXPECT_EQ(node_reg(0, HW_NODE_STATE), HW_STATE_IDLE);
  execute(store(kData, 2), 6);
  EXPECT_EQ(local_word(9 * HW_PAGE_SIZE), 2u);
}

TEST_F(PageFaultTest, TheOtherEngineWorksOn) {
  execute(store(kNowhere, 1), 5);
  submit(virtual_buffer(store(kData, 2), 6), HW_NODE_COPY);
  run();
  EXPECT_EQ(local_word(9 * HW_PAGE_SIZE), 2u);
}

}  // namespace
}  // namespace wddm::reference_device
