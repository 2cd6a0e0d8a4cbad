// An engine: jobs from its ring, command by command.
//
// What a command does happens at once; then its time passes. A preemption waits for the end of the
// packet that runs. Left out: faults in the middle of a command undo nothing.
#pragma once

#include <cstdint>

#include "conformance/drivers/merlin/device/merlin_mmu.h"

namespace merlin {

/// The interrupts of both engines, which share a message.
struct Interrupts {
  const WddmDeviceHost& host;
  std::uint32_t status = 0, enabled = 0;

  void raise(std::uint32_t bits) {
    status |= bits;
    if ((enabled & bits) != 0) host.raise_message(host.host, 0);
  }
  void enable(std::uint32_t value) {
    const std::uint32_t news = status & value & ~enabled;
    enabled = value;
    if (news != 0) host.raise_message(host.host, 0);
  }
};

class Engine {
 public:
  Engine(std::uint32_t node, Mmu& mmu, Interrupts& interrupts, Log& log)
      : mmu_(mmu), interrupts_(interrupts), log_(log), node_(node) {}

  /// At most `budget` units of work. Returns how many; 0: there is none to be had.
  std::uint32_t work(std::uint32_t budget);
  [[nodiscard]] std::uint32_t read(std::uint32_t reg) const;
  void write(std::uint32_t reg, std::uint32_t value);
  /// Says that what runs does not come to its end.
  void stop();
  void reset() { state_ = {}; }

 private:
  // Registers, and the job that runs or was the last to.
  struct State {
    std::uint64_t ring = 0;
    std::uint32_t ring_count = 0, tail = 0, head = 0;
    bool enabled = false, busy = false, faulted = false, preempting = false;
    std::uint32_t done = 0, preempt_fence = 0, preempt_tail = 0, preempted = 0, preempt_done = 0;
    Fault fault;
    std::uint32_t fault_fence = 0, fault_space = 0, progress = 0;
    MerlinJob job{};
    std::uint32_t at = 0;    // bytes of the packet that are executed
    std::uint64_t owed = 0;  // units that the last command still takes
  };

  std::uint64_t step(std::uint64_t budget);
  bool begin();
  void end();
  void halt(const Fault& fault);
  void preempt_now();
  bool fetch_job(MerlinJob& job);
  std::uint64_t execute(Fault& fault);
  bool perform(const std::uint32_t* words, std::uint32_t count, std::uint64_t& units, Fault& fault);
  bool fill(std::uint64_t va, std::uint64_t bytes, std::uint32_t value, Fault& fault);
  bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes, Fault& fault);
  bool touch(Access access, std::uint64_t va, void* data, std::uint64_t bytes, Fault& fault);
  void tell(std::uint32_t kind, std::uint64_t address = 0, std::uint32_t length = 0);
  [[nodiscard]] Accessor accessor() const { return {node_, state_.job}; }
  [[nodiscard]] std::uint32_t status() const;

  Mmu& mmu_;
  Interrupts& interrupts_;
  Log& log_;
  std::uint32_t node_;
  State state_;
};

}  // namespace merlin
