// The TLB: what is read once is used until it is flushed, whatever memory says.
#include "conformance/drivers/reference/device/tests/bench_mmu.h"

namespace wddm::reference_device {
namespace {

class TlbTest : public BenchMmu {
 protected:
  TlbTest() {
    set_levels(3);
    make_tables();
    map(kData, local_address(9) | HW_PTE_VALID);
    execute(store(kData, 1));
  }
  std::uint32_t old_page() const { return local_word(9 * HW_PAGE_SIZE); }
  std::uint32_t new_page() const { return local_word(10 * HW_PAGE_SIZE); }
};

TEST_F(TlbTest, ChangedLeafEntryIsNotSeenUntilFlushed) {
  map(kData, local_address(10) | HW_PTE_VALID);
  execute(store(kData, 2));
  EXPECT_EQ(old_page(), 2u);
  EXPECT_EQ(new_page(), 0u);

  execute(join({tlb_flush(kSpace, kData, kData), store(kData, 3)}));
  EXPECT_EQ(old_page(), 2u);
  EXPECT_EQ(new_page(), 3u);
}

TEST_F(TlbTest, RemovedEntryIsStillUsed) {
  map(kData, 0);
  execute(store(kData, 2));
  EXPECT_FALSE(faulted());
  write(HW_REG_TLB_FLUSH, kSpace);
  map(kBufferAddress, physical(kDmaPage) | HW_PTE_SYSTEM | HW_PTE_VALID);
  execute(store(kData, 3));
  EXPECT_TRUE(faulted());
}

// The next page was never read, but the table above its leaf was.
TEST_F(TlbTest, ChangedUpperEntryIsNotSeenUntilFlushed) {
  put_entry(2, kData / HW_PAGE_SIZE + 1, local_address(9) | HW_PTE_VALID);
  put_entry(20, kData / HW_PAGE_SIZE + 1, local_address(10) | HW_PTE_VALID);
  put_entry(20, kBufferAddress / HW_PAGE_SIZE, get_entry(2, kBufferAddress / HW_PAGE_SIZE));
  put_entry(1, 0, table(20) | HW_PTE_VALID);
  execute(store(kData + HW_PAGE_SIZE, 2));
  EXPECT_EQ(old_page(), 2u);

  write(HW_REG_TLB_FLUSH, 0);
  execute(store(kData + HW_PAGE_SIZE, 3));
  EXPECT_EQ(old_page(), 2u);
  EXPECT_EQ(new_page(), 3u);
}

TEST_F(TlbTest, FlushOfARangeTakesUpperEntriesWithIt) {
  put_entry(2, kData / HW_PAGE_SIZE + 1, local_address(9) | HW_PTE_VALID);
  put_entry(20, kData / HW_PAGE_SIZE + 1, local_address(10) | HW_PTE_VALID);
  put_entry(20, kBufferAddress / HW_PAGE_SIZE, get_entry(2, kBufferAddress / HW_PAGE_SIZE));
  put_entry(1, 0, table(20) | HW_PTE_VALID);
  const std::uint64_t address = kData + HW_PAGE_SIZE;
  execute(join({tlb_flush(kSpace, address, address), store(address, 3)}));
  EXPECT_EQ(new_page(), 3u);
}

TEST_F(TlbTest, FlushSparesOtherRangesAndOtherSpaces) {
  map(kData, local_address(10) | HW_PTE_VALID);
  execute(join({tlb_flush(kSpace + 1, 0, ~0ull), tlb_flush(kSpace, kData + HW_PAGE_SIZE, ~0ull),
                store(kData, 2)}));
  EXPECT_EQ(old_page(), 2u);
}

TEST_F(TlbTest, FlushReachesTheOtherEngine) {
  submit(virtual_buffer(store(kData, 2), 1), HW_NODE_COPY);
  run();
  map(kData, local_address(10) | HW_PTE_VALID);
  execute(tlb_flush(kSpace, kData, kData));
  submit(virtual_buffer(store(kData, 3), 2), HW_NODE_COPY);
  run();
  EXPECT_EQ(old_page(), 2u);
  EXPECT_EQ(new_page(), 3u);
}

TEST_F(TlbTest, SpacesAndRootsAreKeptApart) {
  put_entry(20, 0, table(1) | HW_PTE_VALID);  // another root with the same tables below
  map(kData, local_address(10) | HW_PTE_VALID);
  HwRingEntry entry = virtual_buffer(store(kData, 2), 1);
  entry.address_space = kSpace + 1;
  submit(entry);
  run();
  EXPECT_EQ(new_page(), 2u) << "another space";

  entry = virtual_buffer(store(kData, 3), 2);
  entry.root = table(20);
  submit(entry);
  run();
  EXPECT_EQ(new_page(), 3u) << "another root";
  EXPECT_EQ(old_page(), 1u);
}

TEST_F(TlbTest, OldestEntryGoesFirst) {
  map(kData, local_address(10) | HW_PTE_VALID);
  Words touch;
  for (std::uint32_t i = 0; i < HW_TLB_ENTRIES; ++i) {
    const std::uint64_t address = kData + (i + 1) * HW_PAGE_SIZE;
    map(address, local_address(11) | HW_PTE_VALID);
    const Words one = store(address, 2);
    touch.insert(touch.end(), one.begin(), one.end());
  }
  execute(touch);
  execute(store(kData, 3));
  EXPECT_EQ(new_page(), 3u);
}

TEST_F(TlbTest, InvalidEntriesAreKeptOnlyIfAskedFor) {
  const std::uint64_t address = kData + HW_PAGE_SIZE;
  for (const bool keep : {false, true}) {
    write(HW_REG_MMU_FLAGS, keep ? HW_MMU_KEEP_INVALID : 0);
    write(HW_REG_TLB_FLUSH, 0);
    map(address, 0);
    execute(store(address, 2));
    acknowledge_fault();
    map(address, local_address(9) | HW_PTE_VALID);
    execute(store(address, 2));
    EXPECT_EQ(faulted(), keep);
  }
}

TEST_F(TlbTest, ResetOfTheAdapterForgetsAll) {
  map(kData, local_address(10) | HW_PTE_VALID);
  write(HW_REG_RESET, 1);
  start(HW_NODE_RENDER);
  tail[0] = node_reg(0, HW_NODE_RING_HEAD);
  write(HW_REG_NODE(0, HW_NODE_RING_TAIL), tail[0]);
  execute(store(kData, 2));
  EXPECT_EQ(new_page(), 2u);
}

}  // namespace
}  // namespace wddm::reference_device
