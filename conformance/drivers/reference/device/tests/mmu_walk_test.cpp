// Walks of page tables: levels, indices, roots, page sizes, every bit of an entry.
#include "conformance/drivers/reference/device/tests/bench_mmu.h"

namespace wddm::reference_device {
namespace {

class WalkTest : public BenchMmu {
 protected:
  /// Whether a store to `address` arrives in page `page` of video memory, at the same offset.
  bool arrives(std::uint64_t address, std::uint32_t page, std::uint32_t value = 0x600d) {
    execute(store(address, value));
    return !faulted() &&
           local_word(std::uint64_t{page} * HW_PAGE_SIZE + address % HW_PAGE_SIZE) == value;
  }
};

class LevelsTest : public WalkTest, public testing::WithParamInterface<std::uint32_t> {};

TEST_P(LevelsTest, EveryLevelIsVisitedFromTheRoot) {
  set_levels(GetParam());
  make_tables();
  map(kData, local_address(9) | HW_PTE_VALID);

  EXPECT_TRUE(arrives(kData + 0x124, 9));

  std::vector<std::uint32_t> visited;
  for (const WddmDeviceEvent& event : events()) {
    if (event.kind == WDDM_DEVICE_WALK && event.address == kBufferAddress) {
      visited.push_back(event.level);
    }
  }
  ASSERT_EQ(visited.size(), GetParam());
  for (std::uint32_t i = 0; i < visited.size(); ++i) EXPECT_EQ(visited[i], GetParam() - 1 - i);
}

TEST_P(LevelsTest, InvalidEntryOfAnyLevelFaultsThere) {
  set_levels(GetParam());
  for (std::uint32_t t = 0; t < GetParam(); ++t) {
    make_tables();
    map(kData, local_address(9) | HW_PTE_VALID);
    write(HW_REG_TLB_FLUSH, 0);
    put_entry(t, t + 1 == GetParam() ? kData / HW_PAGE_SIZE : 0, 0);
    execute(store(kData, 1));
    ASSERT_TRUE(faulted());
    EXPECT_EQ(node_reg(0, HW_NODE_FAULT_LEVEL), GetParam() - 1 - t);
    acknowledge_fault();
  }
}

INSTANTIATE_TEST_SUITE_P(All, LevelsTest, testing::Values(2u, 3u, 4u, 5u));

TEST_F(WalkTest, IndicesAreCutFromTheAddress) {
  set_levels(3);
  make_tables();
  put_entry(0, 5, table(10) | HW_PTE_VALID);
  put_entry(10, 6, table(11) | HW_PTE_VALID);
  put_entry(11, 7, local_address(20) | HW_PTE_VALID);
  const std::uint64_t address = 5ull << 30 | 6ull << 21 | 7ull << 12 | 0x10;

  EXPECT_TRUE(arrives(address, 20));
}

TEST_F(WalkTest, IndexWidthIsProgrammed) {
  write(HW_REG_MMU_INDEX_BITS(0), 4);  // a leaf table of 16 pages
  make_tables();
  put_entry(0, 3, table(10) | HW_PTE_VALID);
  put_entry(10, 2, local_address(21) | HW_PTE_VALID);

  EXPECT_TRUE(arrives(3ull << 16 | 2ull << 12, 21));
}

TEST_F(WalkTest, RootIndexBeyondItsEntriesFaults) {
  make_tables();
  put_entry(0, 8, table(1) | HW_PTE_VALID);
  map(kData, local_address(9) | HW_PTE_VALID);
  HwRingEntry entry = virtual_buffer(store((8ull << 21) + kData, 1), 1);
  entry.root_entries = 8;
  submit(entry);
  run();

  EXPECT_TRUE(faulted());
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_LEVEL), 1u);
  acknowledge_fault();
  entry.root_entries = 9;
  submit(entry);
  run();
  EXPECT_FALSE(faulted());
}

TEST_F(WalkTest, TablesMayLieInSystemMemory) {
  make_tables();
  const std::uint64_t leaf = table(1) | HW_PTE_VALID;
  std::memcpy(page_bytes(40), &leaf, sizeof leaf);
  map(kData, local_address(9) | HW_PTE_VALID);
  HwRingEntry entry = virtual_buffer(store(kData, 5), 1);
  entry.root = physical(40) | HW_ROOT_SYSTEM;
  submit(entry);
  run();

  EXPECT_EQ(local_word(9 * HW_PAGE_SIZE), 5u);
  for (const WddmDeviceEvent& event : events()) {
    if (event.kind != WDDM_DEVICE_WALK || event.level != 1) continue;
    EXPECT_EQ(event.entry_address, physical(40));
    EXPECT_EQ(event.entry_system, 1u);
    EXPECT_EQ(event.process, kSpace);
  }
}

TEST_F(WalkTest, TableOutsideOfMemoryIsAPageFaultAndSaysWhere) {
  make_tables();
  put_entry(0, 1, 0x3000 | HW_PTE_VALID);
  execute(store(1ull << 21, 1));
  EXPECT_TRUE(faulted());
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_LEVEL), 0u);
  EXPECT_EQ(count_events(WDDM_DEVICE_FAULT), 1u);
}

TEST_F(WalkTest, SystemEntryIsAPhysicalAddress) {
  make_tables();
  map(kData, physical(33) | HW_PTE_SYSTEM | HW_PTE_VALID);
  execute(store(kData + 8, 0x77));
  EXPECT_EQ(system_word(33, 8), 0x77u);
}

TEST_F(WalkTest, ZeroEntryReadsZerosAndSwallowsWrites) {
  make_tables();
  map(kData, local_address(9) | HW_PTE_ZERO | HW_PTE_VALID);
  map(kData + HW_PAGE_SIZE, local_address(10) | HW_PTE_VALID);
  std::memset(local.data() + 9 * HW_PAGE_SIZE, 0x11, 2 * HW_PAGE_SIZE);
  execute(join({store(kData, 5), load(kData + 4, kData + HW_PAGE_SIZE)}));

  EXPECT_FALSE(faulted());
  EXPECT_EQ(local_word(9 * HW_PAGE_SIZE), 0x11111111u);
  EXPECT_EQ(local_word(10 * HW_PAGE_SIZE), 0u);
}

TEST_F(WalkTest, ZeroEntryAboveTheLeafCoversItsRange) {
  make_tables();
  put_entry(0, 1, HW_PTE_ZERO | HW_PTE_VALID);
  execute(store((1ull << 21) + 0x12345000, 5));
  EXPECT_TRUE(faulted()) << "beyond it";
  acknowledge_fault();
  execute(store((1ull << 21) + 0x12000, 5));
  EXPECT_FALSE(faulted());
}

TEST_F(WalkTest, ReadOnlyEntryRefusesWritesOnly) {
  make_tables();
  map(kData, local_address(9) | HW_PTE_READ_ONLY | HW_PTE_VALID);
  map(kData + HW_PAGE_SIZE, local_address(10) | HW_PTE_VALID);
  std::memset(local.data() + 9 * HW_PAGE_SIZE, 0x11, HW_PAGE_SIZE);
  execute(load(kData, kData + HW_PAGE_SIZE));
  EXPECT_FALSE(faulted());
  EXPECT_EQ(local_word(10 * HW_PAGE_SIZE), 0x11111111u);

  execute(store(kData, 5));
  EXPECT_TRUE(faulted());
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_ACCESS), HW_ACCESS_WRITE);
  EXPECT_EQ(local_word(9 * HW_PAGE_SIZE), 0x11111111u);
}

TEST_F(WalkTest, NoExecuteEntryRefusesFetchesOnly) {
  make_tables();
  map(kData, local_address(9) | HW_PTE_NO_EXECUTE | HW_PTE_VALID);
  EXPECT_TRUE(arrives(kData, 9));

  map(kBufferAddress, physical(kDmaPage) | HW_PTE_SYSTEM | HW_PTE_NO_EXECUTE | HW_PTE_VALID);
  write(HW_REG_TLB_FLUSH, 0);
  execute(store(kData, 5), 2);
  EXPECT_TRUE(faulted());
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_ACCESS), HW_ACCESS_FETCH);
  EXPECT_EQ(fault_address(), kBufferAddress);
}

TEST_F(WalkTest, LargeEntryMapsTheRangeOfTheTableBelow) {
  make_tables();
  put_entry(0, 1, local_address(0) | HW_PTE_LARGE | HW_PTE_VALID);
  EXPECT_TRUE(arrives((1ull << 21) + 13 * HW_PAGE_SIZE + 4, 13));
}

TEST_F(WalkTest, DriverBitsAndCoherenceChangeNothing) {
  make_tables();
  map(kData, local_address(9) | HW_PTE_DRIVER_MASK << HW_PTE_DRIVER_SHIFT | HW_PTE_COHERENT |
                 HW_PTE_VALID);
  EXPECT_TRUE(arrives(kData, 9));
}

TEST_F(WalkTest, LeafOf64KbPagesIsIndexedWithoutTheLowestBits) {
  make_tables();
  put_entry(0, 1, table(10) | HW_PTE_LEAF_64KB | HW_PTE_VALID);
  put_entry(10, 3, local_address(16) | HW_PTE_VALID);
  const std::uint64_t address = (1ull << 21) + 3 * 0x10000 + 5 * HW_PAGE_SIZE + 8;

  EXPECT_TRUE(arrives(address, 16 + 5));
  execute(store(address + 0x10000, 1));
  EXPECT_TRUE(faulted());
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_LEVEL), 0u);
}

class DualTest : public WalkTest {
 protected:
  // Entries of level 1 are pairs, and so of half the number in a page.
  DualTest() {
    set_levels(2, HW_MMU_DUAL);
    make_tables();
    put_entry(0, 2 * 1, table(10) | HW_PTE_VALID);      // 4 KB pages
    put_entry(0, 2 * 1 + 1, table(11) | HW_PTE_VALID);  // 64 KB pages
    put_entry(10, 20, local_address(9) | HW_PTE_VALID);
    put_entry(11, 3, local_address(32) | HW_PTE_VALID);
  }
  static constexpr std::uint64_t kRange = 1ull << 21;
};

TEST_F(DualTest, ValidLeafEntryCounts) {
  EXPECT_TRUE(arrives(kRange + 20 * HW_PAGE_SIZE, 9));
  EXPECT_TRUE(arrives(kRange + 3 * 0x10000 + HW_PAGE_SIZE, 33));
}

TEST_F(DualTest, EitherPointerMayBeMissing) {
  put_entry(0, 2, 0);
  EXPECT_TRUE(arrives(kRange + 3 * 0x10000, 32));
  put_entry(0, 2, table(10) | HW_PTE_VALID);
  put_entry(0, 3, 0);
  write(HW_REG_TLB_FLUSH, 0);
  EXPECT_TRUE(arrives(kRange + 20 * HW_PAGE_SIZE, 9));
}

TEST_F(DualTest, FaultsAtLevel1OnlyIfBothPointersAreMissing) {
  execute(store(kRange + 0x1000, 1));
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_LEVEL), 0u);
  acknowledge_fault();
  put_entry(0, 2, 0);
  put_entry(0, 3, 0);
  write(HW_REG_TLB_FLUSH, 0);
  execute(store(kRange + 0x1000, 1));
  EXPECT_TRUE(faulted());
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_LEVEL), 1u);
}

}  // namespace
}  // namespace wddm::reference_device
