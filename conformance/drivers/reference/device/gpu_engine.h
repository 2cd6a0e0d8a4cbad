// One engine of the reference GPU: ring, packet in work, preemption, context state.
//
// Models hw.h, "Registers of one engine", "Ring entry" and "Commands". Time passes only in step():
// one call is one unit. What a command does to memory is in commands.cpp, how memory is reached in
// engine_memory.cpp. Leaves out: caches but the TLB, pipelining, any notion of clock speed.
#pragma once

#include <array>
#include <cstdint>

#include "conformance/drivers/reference/device/event_log.h"
#include "conformance/drivers/reference/device/hw.h"
#include "conformance/drivers/reference/device/memory_port.h"
#include "conformance/drivers/reference/device/mmu.h"

namespace wddm::reference_device {

/// Hardware semaphores, shared by both engines.
using Semaphores = std::array<std::uint32_t, HW_SEMAPHORE_COUNT>;

class Engine {
 public:
  Engine(std::uint32_t node, MemoryPort& memory, MmuUnit& mmus, Semaphores& semaphores,
         EventLog& log)
      : node_(node),
        memory_(memory),
        mmus_(mmus),
        mmu_(mmus.of(node)),
        semaphores_(semaphores),
        log_(log) {
    reset();
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  static constexpr std::uint32_t kForever = 0xffffffff;

  /// Works for one unit of time. False if there was nothing that could be done.
  bool step();
  /// For how many steps nothing happens but that time passes, if nobody else does anything either.
  [[nodiscard]] std::uint32_t uneventful_units() const;
  /// As many steps at once: no more than are uneventful.
  void pass(std::uint32_t units);

  /// Registers of this engine, by their offset in its block; 32 bits each.
  [[nodiscard]] std::uint32_t read(std::uint32_t reg) const;
  void write(std::uint32_t reg, std::uint32_t value);
  [[nodiscard]] bool has_cause() const { return causes_ != 0; }

  /// Power-on state of everything but the fence and the completion count.
  void reset();
  /// Overwrites what a paging command may change, if no packet is in work.
  void scramble(std::uint32_t seed);

 private:
  enum class Result : std::uint8_t { Progress, Done, Waiting, Undecodable };
  struct Command {
    std::array<std::uint32_t, 255> words;
    std::uint32_t count;
    [[nodiscard]] std::uint32_t opcode() const { return HW_COMMAND_OPCODE(words[0]); }
    [[nodiscard]] std::uint32_t a() const { return HW_COMMAND_A(words[0]); }
    [[nodiscard]] std::uint32_t b() const { return HW_COMMAND_B(words[0]); }
    [[nodiscard]] std::uint64_t address(std::uint32_t word) const {
      return words[word] | std::uint64_t{words[word + 1]} << 32;
    }
  };

  [[nodiscard]] bool can_begin() const;
  void begin();
  void finish();
  [[nodiscard]] bool leave_status();
  void halt();
  void hang();
  void drop_faulted();
  void catch_up();
  void work();
  [[nodiscard]] bool fetch(std::uint32_t offset);
  void restore_context();
  void save_context();
  void write_control(std::uint32_t value);
  void request_preemption(std::uint32_t value);

  // commands.cpp
  [[nodiscard]] bool well_formed() const;
  [[nodiscard]] Result execute_unit();
  [[nodiscard]] bool set_state();
  [[nodiscard]] Result paging_unit();
  void touch(bool write_back);
  void fill_chunk(Space space, std::uint64_t address, std::uint32_t chunk, std::uint32_t size,
                  std::uint32_t pattern);
  // Where a copy reads or writes.
  struct Side {
    Space space;
    std::uint64_t address;
    Leaves leaves = Leaves::Any;
  };
  void copy_chunk(const Side& to, const Side& from, std::uint32_t size);
  [[nodiscard]] Result after_chunk(std::uint32_t size) const;
  void use_as_scratch(std::uint64_t source, std::uint64_t destination, std::uint32_t value);
  [[nodiscard]] std::uint64_t in_slot(std::uint32_t slot, std::uint32_t offset) const;
  [[nodiscard]] Result write_entries();

  // engine_memory.cpp
  // Consecutive bytes behind a virtual address.
  struct Stretch {
    Translation place;
    std::uint32_t bytes;
  };
  // A unit reaches up to a page, which lies on two at most.
  using Stretches = std::array<Stretch, 2>;
  /// False after a page fault, which then is in fault_: nothing was read or written. At most
  /// HW_PAGE_SIZE bytes if the space is virtual.
  bool read_memory(Space space, std::uint64_t address, void* buffer, std::uint32_t bytes,
                   Access access = Access::Read, Leaves leaves = Leaves::Any);
  bool write_memory(Space space, std::uint64_t address, const void* buffer, std::uint32_t bytes,
                    Leaves leaves = Leaves::Any);
  [[nodiscard]] bool translate(std::uint64_t address, std::uint32_t bytes, Access access,
                               Leaves leaves, Stretches& stretches);
  void raise_fault(std::uint64_t address, std::uint32_t level, Access access);

  void log(WddmDeviceEventKind kind, std::uint64_t address, std::uint32_t length);
  [[nodiscard]] bool is_virtual() const { return (entry_.flags & HW_ENTRY_VIRTUAL) != 0; }
  [[nodiscard]] bool uses_iommu() const { return (entry_.flags & HW_ENTRY_IOMMU) != 0; }
  [[nodiscard]] Space slot_space() const { return is_virtual() ? Space::Virtual : Space::Gpu; }
  [[nodiscard]] Space image_space() const {
    return (entry_.flags & HW_ENTRY_IMAGE_IN_GPU) != 0 ? Space::Gpu : Space::System;
  }
  [[nodiscard]] Space dma_space() const {
    if (is_virtual()) return Space::Virtual;
    return entry_.flags & HW_ENTRY_DMA_IN_APERTURE ? Space::Gpu : Space::System;
  }

  const std::uint32_t node_;
  MemoryPort& memory_;
  MmuUnit& mmus_;
  Mmu& mmu_;
  Semaphores& semaphores_;
  EventLog& log_;

  std::uint64_t ring_base_ = 0;
  std::uint32_t ring_entries_ = 0;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t control_ = 0;
  std::uint32_t fence_ = 0;
  std::uint32_t completed_ = 0;
  std::uint32_t completed_fence_ = 0;
  std::uint32_t causes_ = 0;
  std::uint32_t context_ = 0;
  std::array<std::uint64_t, HW_SLOT_COUNT> slots_{};
  std::array<std::uint32_t, HW_CONSTANT_COUNT> constants_{};

  // The packet in work.
  bool active_ = false;
  bool hung_ = false;
  bool halted_ = false;
  bool waiting_ = false;
  bool fetched_ = false;  // command_ holds the command at offset_
  std::uint32_t entry_index_ = 0;
  std::uint32_t offset_ = 0;      // command in work
  std::uint32_t units_done_ = 0;  // of the command in work
  HwRingEntry entry_{};
  Command command_{};

  // The last page fault.
  struct Fault {
    std::uint64_t address = 0;
    std::uint32_t level = 0;
    std::uint32_t access = 0;
    std::uint32_t space = 0;
    std::uint32_t index = 0;
    std::uint32_t fence = 0;
  };
  Fault fault_{};
  bool fault_raised_ = false;  // in this unit
  bool faulted_ = false;       // until it is acknowledged

  // Preemption.
  std::uint32_t preempt_mode_ = 0;
  bool preempt_pending_ = false;
  bool preempt_after_unit_ = false;  // the unit in progress ends first
  std::uint32_t preempt_request_ = 0;
  std::uint32_t preempt_tail_ = 0;  // entries below it were queued before the request
  std::uint32_t answered_request_ = 0;
  std::uint32_t answered_fence_ = 0;
  std::uint32_t stopped_ = 0;
  std::uint32_t stopped_index_ = 0;
  std::uint32_t stopped_offset_ = 0;
  std::uint32_t stopped_units_ = 0;
  std::uint32_t discarded_ = 0;
};

}  // namespace wddm::reference_device
