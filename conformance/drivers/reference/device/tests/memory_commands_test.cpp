// The commands that user mode may ask for, and the faults of a wrong slot.
#include "conformance/drivers/reference/device/tests/bench_gpu.h"

namespace wddm::reference_device {
namespace {

class MemoryCommandsTest : public BenchGpu {
 protected:
  void execute(std::initializer_list<Words> parts) {
    submit(buffer(join(parts), ++fence_));
    run();
    ASSERT_EQ(node_reg(0, HW_NODE_FENCE), fence_);
  }
  static Words copy(std::uint32_t to, std::uint32_t offset, std::uint32_t from,
                    std::uint32_t source_offset, std::uint32_t size) {
    return {HW_COMMAND(HW_OP_COPY, 4, to, from), offset, source_offset, size};
  }

 private:
  std::uint32_t fence_ = 0;
};

TEST_F(MemoryCommandsTest, FillWritesExactlyItsRange) {
  execute({set_base(3, HW_LOCAL_BASE + 4096), constant(1, 0x04030201), fill(3, 1, 4, 4100)});
  EXPECT_EQ(local_word(4096), 0u);
  EXPECT_EQ(local_word(4096 + 4), 0x04030201u);
  EXPECT_EQ(local_word(4096 + 4 + 4100 - 4), 0x04030201u);
  EXPECT_EQ(local_word(4096 + 4 + 4100), 0u);
}

TEST_F(MemoryCommandsTest, WritesToVideoMemoryAreReported) {
  execute({set_base(3, HW_LOCAL_BASE + 4096), constant(1, 0x04030201), fill(3, 1, 4, 4100)});
  const std::vector<Reported> both{{HW_MEMORY_BAR, 4096 + 4, 4096}, {HW_MEMORY_BAR, 8192 + 4, 4}};
  EXPECT_EQ(reported, both);
}

TEST_F(MemoryCommandsTest, FillCostsAUnitPerPage) {
  submit(buffer(join({set_base(0, HW_LOCAL_BASE), fill(0, 0, 0, 3 * 4096 + 4)}), 1));
  EXPECT_EQ(run(), 1u + 4u);
}

TEST_F(MemoryCommandsTest, EmptyFillTouchesNothing) {
  local[0] = 7;
  execute({set_base(0, HW_LOCAL_BASE), constant(0, 9), fill(0, 0, 0, 0)});
  EXPECT_EQ(local_word(0), 7u);
}

TEST_F(MemoryCommandsTest, CopyFromApertureToLocalFollowsScatteredPages) {
  write64(HW_REG_APERTURE_INIT, physical(40));
  std::memset(page_bytes(40), 0x5a, 4096);
  execute({set_base(0, HW_LOCAL_BASE), set_base(1, HW_APERTURE_BASE), copy(0, 0, 1, 2048, 4096)});
  EXPECT_EQ(local_word(0), 0x5a5a5a5au);
  EXPECT_EQ(local_word(4092), 0x5a5a5a5au);
  EXPECT_EQ(local_word(4096), 0u);
}

TEST_F(MemoryCommandsTest, OverlappingCopyIsAsMemmoveInBothDirections) {
  constexpr std::uint32_t kSize = 3 * 4096 + 8;
  for (const std::uint32_t from : {0u, 4100u}) {
    const std::uint32_t to = 4100 - from;
    std::vector<std::uint8_t> expected(local.size());
    for (std::size_t i = 0; i < local.size(); ++i) {
      local[i] = expected[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    }
    std::memmove(expected.data() + to, expected.data() + from, kSize);
    execute({set_base(0, HW_LOCAL_BASE), copy(0, to, 0, from, kSize)});
    EXPECT_EQ(local, expected);
  }
}

TEST_F(MemoryCommandsTest, AddWraps) {
  execute({set_base(0, HW_LOCAL_BASE), constant(0, 0xffffffff), add(0, 0, 8), add(0, 0, 8)});
  EXPECT_EQ(local_word(8), 0xfffffffeu);
}

TEST_F(MemoryCommandsTest, ClearedSlotFaultsAndTouchesNothing) {
  execute({set_base(0, HW_LOCAL_BASE),
           {HW_COMMAND(HW_OP_CLEAR_BASE, 4, 0, 0), 0, 0, 0},
           constant(0, 1),
           add(0, 0, 0x1000)});
  EXPECT_EQ(local_word(0x1000), 0u);
  EXPECT_EQ(count_events(WDDM_DEVICE_FAULT), 2u) << "the read and the write";
}

TEST_F(MemoryCommandsTest, AccessBeyondVideoMemoryFaultsAndKeepsThePartInside) {
  const std::uint32_t last = HW_LOCAL_PAGES * HW_PAGE_SIZE - 4;
  execute({set_base(0, HW_LOCAL_BASE), constant(0, 1), fill(0, 0, last, 8)});
  EXPECT_EQ(local_word(last), 1u);
  EXPECT_EQ(count_events(WDDM_DEVICE_FAULT), 1u);
}

TEST_F(MemoryCommandsTest, InvalidApertureEntryFaults) {
  execute({set_base(0, HW_APERTURE_BASE), constant(0, 1), add(0, 0, 0)});
  EXPECT_GE(count_events(WDDM_DEVICE_FAULT), 1u);
}

}  // namespace
}  // namespace wddm::reference_device
