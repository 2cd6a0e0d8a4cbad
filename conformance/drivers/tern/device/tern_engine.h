// The engine: packets from the ring, command by command.
//
// A command takes effect as a whole when its time is paid, so that a packet can be stopped before
// any command. Left out: faults in the middle of a command undo nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "conformance/drivers/tern/device/tern_mmu.h"

namespace tern {

/// What the driver reads from the EVENT registers.
struct Event {
  std::uint32_t kind = TERN_EVENT_NONE;
  std::uint32_t fence = 0;
  std::uint32_t completed = 0;
  std::uint32_t info = 0;
  std::uint64_t va = 0;
  std::uint32_t stopped = 0;
  std::uint32_t offset = 0;
  std::uint32_t spin_left = 0;
};

class Engine {
 public:
  Engine(PhysicalMemory& memory, Log& log) : memory_(memory), mmu_(memory, log), log_(log) {}

  /// Works for at most `units`; ends early when an event has come. Returns what it used.
  std::uint32_t work(std::uint32_t units);
  void ring_tail(std::uint32_t tail);
  void preempt(std::uint32_t fence);
  void reset(std::uint32_t how);
  void flush(std::uint32_t space) { mmu_.flush(space, 0, ~0ull); }

  [[nodiscard]] std::uint32_t status() const;
  [[nodiscard]] std::uint32_t running() const { return busy_ ? packet_.fence : 0; }
  [[nodiscard]] std::deque<Event>& events() { return events_; }

  std::uint32_t completed = 0;

 private:
  void pass_void_packets();
  bool begin_packet();
  void end_packet();
  bool fetch();
  bool execute();
  bool execute_paging(const std::uint64_t* word, Fault& fault);
  bool write_entries(const std::uint64_t* word, const std::uint64_t* entries, std::uint64_t count,
                     bool repeat, Fault& fault);
  bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes, Fault& fault);
  void stop(const Fault& fault);
  void forget_command() { command_.clear(), left_ = 0; }
  void tell(std::uint32_t kind, std::uint64_t address = 0, std::uint32_t bytes = 0);
  [[nodiscard]] bool stalled() const;

  PhysicalMemory& memory_;
  Mmu mmu_;
  Log& log_;
  std::deque<Event> events_;
  std::uint32_t head_ = 0, tail_ = 0;
  bool busy_ = false, halted_ = false;
  TernPacket packet_{};
  Space space_;
  std::uint32_t offset_ = 0;
  std::vector<std::uint64_t> command_;  // under way; empty: to be fetched
  std::uint64_t left_ = 0;              // units until it takes effect
  std::uint64_t semaphores_[TERN_SEMAPHORES] = {};
};

}  // namespace tern
