// A node: packets from its queue, command by command.
//
// Every step takes a unit of time, and what a command does happens at once. A packet that is
// preempted leaves in the save area of its context how far it came; one without runs to its end.
// Left out: faults in the middle of a command undo nothing.
#pragma once

#include <cstdint>

#include "conformance/drivers/plover/device/plover_events.h"
#include "conformance/drivers/plover/device/plover_mmu.h"

namespace plover {

/// What all nodes work with.
struct Parts {
  const WddmDeviceHost& host;
  Mmu& mmu;
  EventRing& events;
  Log& log;
  std::uint32_t semaphores[PLOVER_SEMAPHORES] = {};
};

class Node {
 public:
  Node(std::uint32_t number, Parts& parts) : parts_(parts), number_(number) {}

  /// One unit of work; false if there is none to be had.
  bool step();
  void place(std::uint64_t ring) { ring_ = ring; }
  void empty(std::uint32_t entries) { entries_ = entries, head_ = tail_ = 0; }
  void submit(std::uint32_t tail) { tail_ = tail; }
  void preempt(std::uint32_t fence);
  void stand_still(std::uint32_t value) { still_ = value != 0; }
  /// Drops all. What it has finished it has told.
  void reset();
  void lose_power();
  [[nodiscard]] std::uint32_t aborted() const { return aborted_; }
  [[nodiscard]] std::uint32_t progress() const { return progress_; }

 private:
  bool work();
  [[nodiscard]] PloverPacket first() const;
  [[nodiscard]] Accessor accessor() const { return {number_, packet_}; }
  void begin();
  void take_up();
  void end();
  void finish(std::uint32_t fence, std::uint32_t event);
  bool stop_for_preemption();
  bool save();
  bool execute(const PloverCommand& command, Fault& fault);
  bool move(const PloverCommand& command, Fault& fault);
  [[nodiscard]] PloverEvent event_of(std::uint32_t type, std::uint32_t fence) const;
  void fault_at(const Fault& fault);
  void halt(const PloverEvent& event);
  void tell(std::uint32_t kind, std::uint64_t address = 0, std::uint32_t bytes = 0);

  Parts& parts_;
  std::uint32_t number_;
  std::uint64_t ring_ = 0;
  std::uint32_t entries_ = 0, head_ = 0, tail_ = 0;
  std::uint32_t preempt_fence_ = 0, preempt_tail_ = 0, completed_ = 0, aborted_ = 0;
  std::uint32_t progress_ = 0;
  bool still_ = false, preempting_ = false, running_ = false, halted_ = false;
  PloverPacket packet_{};
  std::uint32_t offset_ = 0, spin_left_ = 0;
};

}  // namespace plover
