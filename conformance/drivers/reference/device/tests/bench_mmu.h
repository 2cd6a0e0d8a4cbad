// A GPU on the bench with page tables: what a driver would write, written here word by word.
//
// Tables lie in video memory from kTables on, one page each; what is mapped lies where a test says.
// By default two levels of 9 bits: one leaf table covers 2 MB.
#pragma once

#include "conformance/drivers/reference/device/tests/bench_gpu.h"

namespace wddm::reference_device {

class BenchMmu : public BenchGpu {
 protected:
  static constexpr std::uint32_t kTables = 64;  // page of video memory
  static constexpr std::uint32_t kSpace = 7;
  static constexpr std::uint64_t kBufferAddress = 0x1000;  // of the command buffer
  static constexpr std::uint64_t kData = 0x5000;           // where tests map what they look at

  BenchMmu() { set_levels(2); }

  void set_levels(std::uint32_t count, std::uint32_t flags = 0) {
    levels = count;
    write(HW_REG_MMU_LEVELS, count);
    write(HW_REG_MMU_FLAGS, flags);
    for (std::uint32_t level = 0; level < count; ++level) write(HW_REG_MMU_INDEX_BITS(level), 9);
  }

  /// GPU address of a page of video memory.
  static std::uint64_t local_address(std::uint32_t page) {
    return HW_LOCAL_BASE + std::uint64_t{page} * HW_PAGE_SIZE;
  }
  static std::uint64_t table(std::uint32_t number) { return local_address(kTables + number); }
  void put_entry(std::uint32_t table_number, std::uint32_t index, std::uint64_t entry) {
    std::memcpy(
        local.data() + std::size_t{kTables + table_number} * HW_PAGE_SIZE + std::size_t{index} * 8,
        &entry, sizeof entry);
  }
  std::uint64_t get_entry(std::uint32_t table_number, std::uint32_t index) {
    std::uint64_t entry = 0;
    std::memcpy(
        &entry,
        local.data() + std::size_t{kTables + table_number} * HW_PAGE_SIZE + std::size_t{index} * 8,
        sizeof entry);
    return entry;
  }
  /// Tables 0 (root) to levels - 1 (leaf), for the lowest 2 MB; the command buffer in its place.
  void make_tables() {
    for (std::uint32_t t = 0; t + 1 < levels; ++t) put_entry(t, 0, table(t + 1) | HW_PTE_VALID);
    map(kBufferAddress, physical(kDmaPage) | HW_PTE_SYSTEM | HW_PTE_VALID);
  }
  /// One page in the leaf table, which is the last one.
  void map(std::uint64_t address, std::uint64_t entry) {
    put_entry(levels - 1, static_cast<std::uint32_t>(address / HW_PAGE_SIZE), entry);
  }

  /// A packet that runs with the tables, privileged.
  HwRingEntry virtual_buffer(const Words& words, std::uint32_t fence) {
    HwRingEntry entry = buffer(words, fence);
    entry.dma_address = kBufferAddress;
    entry.flags = HW_ENTRY_VIRTUAL;
    entry.root = table(0);
    entry.root_entries = 512;
    entry.address_space = kSpace;
    return entry;
  }
  void execute(const Words& words, std::uint32_t fence = 1) {
    submit(virtual_buffer(words, fence));
    run();
  }
  /// Writes `value` to the word at `address`.
  static Words store(std::uint64_t address, std::uint32_t value) {
    return join({set_base(3, address), constant(0, value), fill(3, 0, 0, 4)});
  }
  /// Copies the word at `from` to `to`.
  static Words load(std::uint64_t from, std::uint64_t to) {
    return join({set_base(3, from), set_base(4, to), {HW_COMMAND(HW_OP_COPY, 4, 4, 3), 0, 0, 4}});
  }
  static Words tlb_flush(std::uint32_t space, std::uint64_t first, std::uint64_t last) {
    return {HW_COMMAND(HW_OP_TLB_FLUSH, 6, 0, 0),
            space,
            low(first),
            high(first),
            low(last),
            high(last)};
  }

  bool faulted(std::uint32_t node = HW_NODE_RENDER) {
    return node_reg(node, HW_NODE_STATE) == HW_STATE_FAULTED;
  }
  std::uint64_t fault_address(std::uint32_t node = HW_NODE_RENDER) {
    return node_reg(node, HW_NODE_FAULT_ADDRESS) |
           std::uint64_t{node_reg(node, HW_NODE_FAULT_ADDRESS + 4)} << 32;
  }
  void acknowledge_fault(std::uint32_t node = HW_NODE_RENDER) {
    write(HW_REG_NODE(node, HW_NODE_INT_ACK), HW_CAUSE_FAULTED);
  }

  std::uint32_t levels = 2;
};

}  // namespace wddm::reference_device
