// Packets with virtual addresses: what they may do, and paging commands on and through page tables.
#include "conformance/drivers/reference/device/tests/bench_mmu.h"

namespace wddm::reference_device {
namespace {

class VirtualCommandsTest : public BenchMmu {
 protected:
  VirtualCommandsTest() {
    make_tables();
    // Neighbours in the address space, and nowhere else.
    map(kData, local_address(9) | HW_PTE_VALID);
    map(kData + HW_PAGE_SIZE, physical(35) | HW_PTE_SYSTEM | HW_PTE_VALID);
    map(kOther, local_address(14) | HW_PTE_VALID);
    map(kOther + HW_PAGE_SIZE, local_address(12) | HW_PTE_VALID);
    map(kTableAddress, table(1) | HW_PTE_VALID);
  }
  static constexpr std::uint64_t kOther = 0x9000;
  static constexpr std::uint64_t kTableAddress = 0x20000;

  static Words write_entries(std::uint32_t space, std::uint64_t place,
                             const std::vector<std::uint64_t>& entries) {
    Words words{HW_COMMAND(HW_OP_WRITE_ENTRIES, HW_WORDS_WRITE_ENTRIES(entries.size()), space, 0),
                0, low(place), high(place)};
    for (const std::uint64_t entry : entries) {
      words.push_back(low(entry));
      words.push_back(high(entry));
    }
    return words;
  }
  static Words repeat_entry(std::uint32_t space, std::uint64_t place, std::uint32_t count,
                            std::uint64_t entry) {
    return {HW_COMMAND(HW_OP_REPEAT_ENTRY, HW_WORDS_REPEAT_ENTRY, space, 0),
            count,
            low(place),
            high(place),
            low(entry),
            high(entry)};
  }
  static Words virtual_copy(std::uint64_t from, std::uint64_t to, std::uint32_t size,
                            std::uint32_t source_space = HW_SPACE_VIRTUAL) {
    return {HW_COMMAND(HW_OP_PAGING_COPY, 6, source_space, HW_SPACE_VIRTUAL),
            size,
            low(from),
            high(from),
            low(to),
            high(to)};
  }
};

TEST_F(VirtualCommandsTest, FillAndCopyFindEveryPage) {
  execute({HW_COMMAND(HW_OP_PAGING_FILL, 5, 0, HW_SPACE_VIRTUAL), 2 * HW_PAGE_SIZE - 8, 0x04030201,
           low(kData + 8), high(kData + 8)});
  EXPECT_EQ(local_word(9 * HW_PAGE_SIZE + 4), 0u);
  EXPECT_EQ(local_word(9 * HW_PAGE_SIZE + 8), 0x04030201u);
  EXPECT_EQ(system_word(35, HW_PAGE_SIZE - 4), 0x04030201u);

  execute(virtual_copy(kData + 16, kOther, 2 * HW_PAGE_SIZE - 16));
  EXPECT_EQ(local_word(14 * HW_PAGE_SIZE), 0x04030201u);
  EXPECT_EQ(local_word(12 * HW_PAGE_SIZE + HW_PAGE_SIZE - 20), 0x04030201u);
  EXPECT_EQ(local_word(13 * HW_PAGE_SIZE - 4), 0u);
}

TEST_F(VirtualCommandsTest, ACopyGoesThroughLeavesOfThePageSizeThatItNames) {
  constexpr std::uint64_t kRange = 1ull << 21, kPage = kRange + 3 * 0x10000;
  put_entry(0, 1, table(10) | HW_PTE_LEAF_64KB | HW_PTE_VALID);
  put_entry(10, 3, local_address(16) | HW_PTE_VALID);
  const std::uint32_t value = 0x64646464;
  std::memcpy(local.data() + 21 * HW_PAGE_SIZE, &value, sizeof value);
  execute(virtual_copy(kPage + 5 * HW_PAGE_SIZE, kOther, HW_PAGE_SIZE, HW_SPACE_VIRTUAL_64KB));
  EXPECT_EQ(local_word(14 * HW_PAGE_SIZE), value);

  execute(virtual_copy(kPage, kOther, HW_PAGE_SIZE), 2);
  EXPECT_TRUE(faulted());
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_LEVEL), 1u);
  acknowledge_fault();
  execute(virtual_copy(kData, kOther, HW_PAGE_SIZE, HW_SPACE_VIRTUAL_64KB), 3);
  EXPECT_TRUE(faulted());
  EXPECT_EQ(node_reg(0, HW_NODE_FAULT_LEVEL), 1u);
}

TEST_F(VirtualCommandsTest, SlotCommandsWorkOnVirtualAddresses) {
  execute(join({set_base(1, kData),
                set_base(2, kOther),
                constant(0, 6),
                fill(1, 0, 0, 8192),
                {HW_COMMAND(HW_OP_COPY, 4, 2, 1), 0, 0, 8192},
                add(2, 0, 4096)}));
  EXPECT_EQ(system_word(35, 0), 6u);
  EXPECT_EQ(local_word(14 * HW_PAGE_SIZE), 6u);
  EXPECT_EQ(local_word(12 * HW_PAGE_SIZE), 12u);
}

TEST_F(VirtualCommandsTest, EntriesAreWrittenWhereTheAddressLeads) {
  const std::vector<std::uint64_t> entries{local_address(2) | HW_PTE_VALID,
                                           local_address(3) | HW_PTE_VALID};
  execute(join({write_entries(HW_SPACE_VIRTUAL, kTableAddress + 100 * 8, entries),
                write_entries(HW_SPACE_GPU, table(1) + 110 * 8, entries),
                write_entries(HW_SPACE_SYSTEM, physical(36), entries)}));
  EXPECT_EQ(get_entry(1, 99), 0u);
  EXPECT_EQ(get_entry(1, 100), entries[0]);
  EXPECT_EQ(get_entry(1, 101), entries[1]);
  EXPECT_EQ(get_entry(1, 102), 0u);
  EXPECT_EQ(get_entry(1, 111), entries[1]);
  EXPECT_EQ(system_word(36, 8), low(entries[1]));
}

TEST_F(VirtualCommandsTest, RepeatedEntryIsNotCountedUp) {
  execute(repeat_entry(HW_SPACE_GPU, table(1) + 200 * 8, 3, 0x7001));
  EXPECT_EQ(get_entry(1, 199), 0u);
  EXPECT_EQ(get_entry(1, 200), 0x7001u);
  EXPECT_EQ(get_entry(1, 202), 0x7001u);
  EXPECT_EQ(get_entry(1, 203), 0u);
}

TEST_F(VirtualCommandsTest, UpdateFlushAndUseInOneBuffer) {
  execute(join({virtual_copy(kData, kOther, 4),
                write_entries(HW_SPACE_VIRTUAL, kTableAddress + kData / HW_PAGE_SIZE * 8,
                              {local_address(20) | HW_PTE_VALID}),
                tlb_flush(kSpace, kData, kData), store(kData, 0x55)}));
  EXPECT_EQ(local_word(20 * HW_PAGE_SIZE), 0x55u);
  EXPECT_EQ(local_word(9 * HW_PAGE_SIZE), 0u);
}

TEST_F(VirtualCommandsTest, MoreEntriesThanATableHangTheEngine) {
  execute(repeat_entry(HW_SPACE_GPU, table(1), HW_MOST_REPEAT_ENTRY + 1, 0));
  EXPECT_EQ(node_reg(0, HW_NODE_STATE), HW_STATE_HUNG);
}

TEST_F(VirtualCommandsTest, UserPacketsMayNotPage) {
  HwRingEntry entry = virtual_buffer(virtual_copy(kData, kOther, 4), 1);
  entry.flags |= HW_ENTRY_USER;
  submit(entry);
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_STATE), HW_STATE_HUNG);
}

TEST_F(VirtualCommandsTest, UserPacketsMaySetTheirSlots) {
  HwRingEntry entry = virtual_buffer(store(kData, 8), 1);
  entry.flags |= HW_ENTRY_USER;
  submit(entry);
  run();
  EXPECT_EQ(local_word(9 * HW_PAGE_SIZE), 8u);
}

TEST_F(VirtualCommandsTest, PhysicalPacketsHaveNoVirtualSpace) {
  submit(buffer(virtual_copy(kData, kOther, 4), 1));
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_STATE), HW_STATE_HUNG);
}

TEST_F(VirtualCommandsTest, SilentPacketSetsTheFenceInItsTurn) {
  submit(virtual_buffer(spin(50), 1));
  HwRingEntry silent{};
  silent.fence = 2;
  silent.flags = HW_ENTRY_SILENT;
  submit(silent);
  run(10);
  EXPECT_EQ(node_reg(0, HW_NODE_FENCE), 0u);
  run();
  EXPECT_EQ(node_reg(0, HW_NODE_FENCE), 2u);
  EXPECT_EQ(node_reg(0, HW_NODE_COMPLETED), 1u);
  EXPECT_EQ(node_reg(0, HW_NODE_COMPLETED_FENCE), 1u);
}

TEST_F(VirtualCommandsTest, StoppedPacketGoesOnWithItsTables) {
  const Words words = join({set_base(3, kData), constant(0, 9), spin(50), fill(3, 0, 0, 4)});
  HwRingEntry entry = virtual_buffer(words, 1);
  submit(entry);
  run(10);
  write(HW_REG_NODE(0, HW_NODE_PREEMPT), 100);
  run();
  ASSERT_EQ(node_reg(0, HW_NODE_STOPPED), 1u);
  entry.resume_offset = node_reg(0, HW_NODE_STOPPED_OFFSET);
  entry.resume_units = node_reg(0, HW_NODE_STOPPED_UNITS);
  write(HW_REG_NODE(0, HW_NODE_INT_ACK), HW_CAUSE_PREEMPTED);
  submit(entry);
  run();
  EXPECT_EQ(local_word(9 * HW_PAGE_SIZE), 9u);
}

}  // namespace
}  // namespace wddm::reference_device
