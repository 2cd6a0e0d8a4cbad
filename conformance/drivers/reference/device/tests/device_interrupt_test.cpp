// The interrupt line: when it rises, what lowers it, and what a reset keeps.
#include "conformance/drivers/reference/device/tests/bench_gpu.h"

namespace wddm::reference_device {
namespace {

using Levels = std::vector<int>;
using InterruptTest = BenchGpu;

TEST_F(InterruptTest, LineFollowsEnabledCauses) {
  write(HW_REG_INT_ENABLE, 1u << HW_NODE_RENDER);
  submit(buffer(spin(1), 1));
  run();
  EXPECT_EQ(read(HW_REG_INT_STATUS), 1u);
  EXPECT_EQ(line_changes, Levels{1});
  write(HW_REG_NODE(0, HW_NODE_INT_ACK), HW_CAUSE_COMPLETED);
  EXPECT_EQ(line_changes, (Levels{1, 0}));
}

TEST_F(InterruptTest, DisabledNodeStaysQuiet) {
  write(HW_REG_INT_ENABLE, 1u << HW_NODE_COPY);
  submit(buffer(spin(1), 1));
  run();
  EXPECT_EQ(line_changes, Levels{});
  EXPECT_EQ(node_reg(0, HW_NODE_INT_CAUSE), HW_CAUSE_COMPLETED);
}

TEST_F(InterruptTest, SecondCauseKeepsTheLineHigh) {
  write(HW_REG_INT_ENABLE, 3);
  submit(buffer(spin(1), 1), HW_NODE_RENDER);
  submit(buffer(spin(1), 1, kDmaPage + 1), HW_NODE_COPY);
  run();
  write(HW_REG_NODE(0, HW_NODE_INT_ACK), HW_CAUSE_COMPLETED);
  EXPECT_EQ(line_changes, Levels{1});
}

TEST_F(InterruptTest, ResetKeepsEnablesAndReportsItsEnd) {
  write(HW_REG_INT_ENABLE, HW_INT_RESET_DONE | 3);
  write(HW_REG_RESET, 1);
  EXPECT_EQ(line_changes, Levels{});
  EXPECT_EQ(run(), 1u);
  EXPECT_EQ(line_changes, Levels{1});
  write(HW_REG_INT_ACK, HW_INT_RESET_DONE);
  EXPECT_EQ(line_changes, (Levels{1, 0}));
}

TEST_F(InterruptTest, ResetForgetsCausesRingsApertureAndSemaphores) {
  write(HW_REG_INT_ENABLE, 3);
  write64(HW_REG_APERTURE_INIT, physical(3));
  write(HW_REG_SEMAPHORE(9), 4);
  submit(buffer(spin(1), 1));
  submit(buffer(spin(100), 2, kDmaPage + 1));
  run(2);
  write(HW_REG_RESET, 1);
  EXPECT_EQ(line_changes, (Levels{1, 0}));
  EXPECT_EQ(run(), 1u);
  EXPECT_EQ(node_reg(0, HW_NODE_COMPLETED), 1u);
  EXPECT_EQ(read(HW_REG_APERTURE(0)), HW_APERTURE_INVALID);
  EXPECT_EQ(read(HW_REG_SEMAPHORE(9)), 0u);
}

TEST_F(InterruptTest, RetraceComesWithACauseWhereItIsEnabled) {
  write(HW_REG_INT_ENABLE, HW_INT_RETRACE | 3);
  submit(buffer(spin(1), 1));
  run();
  EXPECT_EQ(read(HW_REG_INT_STATUS), HW_INT_RETRACE | 1u);
  write(HW_REG_INT_ACK, HW_INT_RETRACE);
  EXPECT_EQ(read(HW_REG_INT_STATUS), 1u);
  write(HW_REG_NODE(0, HW_NODE_INT_ACK), HW_CAUSE_COMPLETED);
  EXPECT_EQ(line_changes, (Levels{1, 0}));
}

TEST_F(InterruptTest, RetraceThatNobodyWantsIsForgotten) {
  write(HW_REG_INT_ENABLE, 3);
  submit(buffer(spin(1), 1));
  run();
  write(HW_REG_INT_ENABLE, HW_INT_RETRACE | 3);
  EXPECT_EQ(read(HW_REG_INT_STATUS), 1u);
}

}  // namespace
}  // namespace wddm::reference_device
