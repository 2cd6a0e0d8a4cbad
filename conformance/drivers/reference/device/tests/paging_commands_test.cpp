// The privileged commands: paging copies and fills, aperture entries, and the state they destroy.
#include "conformance/drivers/reference/device/tests/bench_gpu.h"

namespace wddm::reference_device {
namespace {

class PagingCommandsTest : public BenchGpu {
 protected:
  void execute(std::initializer_list<Words> parts) {
    submit(buffer(join(parts), 1));
    run();
  }
  static Words copy(std::uint32_t from_space, std::uint64_t from, std::uint32_t to_space,
                    std::uint64_t to, std::uint32_t size) {
    return {HW_COMMAND(HW_OP_PAGING_COPY, 6, from_space, to_space),
            size,
            low(from),
            high(from),
            low(to),
            high(to)};
  }
  static Words map(std::uint32_t index, std::uint64_t page) {
    return {HW_COMMAND(HW_OP_APERTURE_MAP, 4, 0, 0), index, low(page), high(page)};
  }
  static Words map_all(std::uint32_t index, std::uint32_t count, std::uint64_t page) {
    return {HW_COMMAND(HW_OP_APERTURE_FILL, 5, 0, 0), index, count, low(page), high(page)};
  }
};

TEST_F(PagingCommandsTest, CopiesBetweenLocalAndSystemMemory) {
  std::memset(page_bytes(30), 0x11, 4096);
  execute({copy(HW_SPACE_SYSTEM, physical(30), HW_SPACE_GPU, HW_LOCAL_BASE + 8192, 4096),
           copy(HW_SPACE_GPU, HW_LOCAL_BASE + 8192, HW_SPACE_SYSTEM, physical(31), 4096)});
  EXPECT_EQ(local_word(8192), 0x11111111u);
  EXPECT_EQ(system_word(31, 4092), 0x11111111u);
  EXPECT_EQ(system_word(32, 0), 0u);
}

TEST_F(PagingCommandsTest, FillUsesTheWholePattern) {
  execute({{HW_COMMAND(HW_OP_PAGING_FILL, 5, 0, HW_SPACE_GPU), 8192, 0x04030201, low(HW_LOCAL_BASE),
            high(HW_LOCAL_BASE)}});
  EXPECT_EQ(local_word(0), 0x04030201u);
  EXPECT_EQ(local_word(8188), 0x04030201u);
  EXPECT_EQ(local_word(8192), 0u);
}

TEST_F(PagingCommandsTest, ApertureMapChangesOneEntry) {
  execute({map_all(0, HW_APERTURE_PAGES, physical(20)), map(5, physical(21))});
  EXPECT_EQ(read(HW_REG_APERTURE(4)), low(physical(20)));
  EXPECT_EQ(read(HW_REG_APERTURE(5)), low(physical(21)));
  EXPECT_EQ(read(HW_REG_APERTURE(6)), low(physical(20)));
}

TEST_F(PagingCommandsTest, ApertureEntryOutOfRangeHangs) {
  execute({map(HW_APERTURE_PAGES, physical(20))});
  EXPECT_EQ(node_reg(0, HW_NODE_STATE), HW_STATE_HUNG);
}

TEST_F(PagingCommandsTest, TouchWriteLeavesMemoryAsItIs) {
  std::memset(local.data(), 0x77, 16);
  const std::vector<std::uint8_t> before = local;
  execute({{HW_COMMAND(HW_OP_PAGING_WRITE, 4, HW_SPACE_GPU, 0), 8, low(HW_LOCAL_BASE + 3),
            high(HW_LOCAL_BASE)}});
  EXPECT_EQ(local, before);
  EXPECT_EQ(count_events(WDDM_DEVICE_FAULT), 0u);
}

TEST_F(PagingCommandsTest, PagingDestroysSlotsAndConstants) {
  execute({set_base(7, HW_LOCAL_BASE), constant(3, 42), map(0, physical(20))});
  EXPECT_EQ(node_reg(0, HW_NODE_SLOT(7)), low(HW_NO_ADDRESS));
  EXPECT_NE(node_reg(0, HW_NODE_CONSTANT(3)), 42u);
}

TEST_F(PagingCommandsTest, SystemPageNobodyOwnsFaults) {
  execute({copy(HW_SPACE_SYSTEM, physical(kPages), HW_SPACE_GPU, HW_LOCAL_BASE, 4096)});
  const auto log = events();
  ASSERT_EQ(log.size(), 4u);
  EXPECT_EQ(log[2].kind, static_cast<std::uint32_t>(WDDM_DEVICE_FAULT));
  EXPECT_EQ(log[2].address, physical(kPages));
}

}  // namespace
}  // namespace wddm::reference_device
