// A node: takes jobs from its ring and executes them, command by command.
//
// What a job works with, its bases and its pattern, lies in the image of its context between jobs.
// A job is preempted only where it waits: its rest goes on behind what the image keeps.
#pragma once

#include "conformance/drivers/egret/device/egret_mmu.h"

namespace egret {

/// One message for all events: it is sent when the first comes, and again when some are left after
/// others were acknowledged.
class Interrupts {
 public:
  explicit Interrupts(const WddmDeviceHost& host) : host_(host) {}

  [[nodiscard]] std::uint32_t status() const { return status_; }
  [[nodiscard]] std::uint32_t enabled() const { return enabled_; }
  void raise(std::uint32_t bits) {
    const bool was = (status_ & enabled_) != 0;
    status_ |= bits;
    if (!was) send();
  }
  void acknowledge(std::uint32_t bits) {
    status_ &= ~bits;
    send();
  }
  void enable(std::uint32_t bits) {
    enabled_ = bits;
    send();
  }
  void forget(std::uint32_t bits) { status_ &= ~bits; }
  void lose_power() { status_ = enabled_ = 0; }

 private:
  void send() {
    if ((status_ & enabled_) != 0) host_.raise_message(host_.host, 0);
  }

  const WddmDeviceHost& host_;
  std::uint32_t status_ = 0, enabled_ = 0;
};

/// What both nodes work with.
struct Parts {
  const WddmDeviceHost& host;
  Memory& memory;
  Mmu& mmu;
  Interrupts& interrupts;
  Log& log;
  std::uint32_t semaphores[256] = {};
};

class Node {
 public:
  Node(std::uint32_t number, Parts& parts) : parts_(parts), number_(number) {}

  [[nodiscard]] std::uint64_t read(std::uint64_t offset) const;
  void write(std::uint64_t offset, std::uint64_t value);
  /// Works for about `units`; returns what it used.
  std::uint32_t work(std::uint32_t units);
  /// Overwrites what no job may rely on, unless one is under way.
  void scramble(std::uint32_t seed);
  void lose_power() { engine_ = {}; }

 private:
  // What is lost with the power.
  struct Engine {
    std::uint64_t ring = 0;
    std::uint32_t entries = 0, head = 0, tail = 0;
    bool run = false, halted = false, active = false;
    eg_job job{};
    std::uint32_t pc = 0;
    std::uint64_t spin = 0;
    eg_context state{};
    std::uint32_t completed = 0, progress = 0;
    bool preempt = false;
    std::uint32_t preempt_tag = 0, preempt_done = 0, preempt_tail = 0;
    std::uint32_t fault_fence = 0, fault_info = 0;
    std::uint64_t fault_va = 0;
    std::uint32_t aborted = 0, abort_valid = 0;
  };
  // A command, with zeros behind it where it is short.
  using Words = const std::uint32_t*;

  void control(std::uint32_t value);
  std::uint32_t step(std::uint32_t budget);
  void begin();
  void complete();
  void finish_preemption();
  bool save_context(std::uint32_t resume);
  std::uint32_t execute();
  std::uint32_t wait();
  bool slot_command(std::uint32_t op, Words c, std::uint32_t dwords);
  bool add(Words c, std::uint32_t dwords);
  bool virtual_command(std::uint32_t op, Words c, std::uint32_t dwords);
  bool privileged_command(std::uint32_t op, Words c, std::uint32_t dwords);
  bool write_entries(bool repeat, Words c, std::uint32_t dwords);
  bool map_aperture(bool repeat, Words c, std::uint32_t dwords);
  [[nodiscard]] std::uint64_t slot_address(std::uint32_t slot, std::uint32_t offset) const;
  bool fill(std::uint64_t to, std::uint32_t bytes, std::uint32_t value);
  bool copy(std::uint64_t to, std::uint64_t from, std::uint32_t bytes);
  // False: the job has faulted, and the node stands still.
  bool access(std::uint64_t va, void* buffer, std::uint64_t bytes, bool write);
  bool bad_instruction() { return halt(0, EG_N_FAULT_INSTRUCTION); }
  bool halt(std::uint64_t va, std::uint32_t info);
  void tell(std::uint32_t kind) { parts_.log.push_back(record_of(kind, accessor(), 0, 0)); }
  [[nodiscard]] Accessor accessor() const { return {number_, engine_.job}; }

  Parts& parts_;
  std::uint32_t number_;
  Engine engine_;
};

}  // namespace egret
