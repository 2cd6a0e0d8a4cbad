// An engine: packets from its ring, command by command.
//
// A command takes effect as a whole. Commands hold nothing that the next one relies on, so a packet
// can go on at any of them. Left out: an access to no memory is logged and stops nothing.
#pragma once

#include <cstdint>
#include <deque>

#include "conformance/drivers/kestrel/device/kestrel_memory.h"

namespace kestrel {

using Log = std::deque<WddmDeviceEvent>;

/// What both engines work with.
struct Parts {
  const WddmDeviceHost& host;
  Memory& memory;
  Log& log;
  std::uint32_t semaphores[KST_SEMAPHORES] = {};
};

class Engine {
 public:
  Engine(std::uint32_t number, Parts& parts) : parts_(parts), number_(number) {}

  /// Works for at most `units`, and adds to `raised` what it interrupts for. Returns what it used;
  /// ends early when there is something to interrupt for.
  std::uint32_t work(std::uint32_t units, std::uint32_t& raised);
  void write(std::uint64_t offset, std::uint32_t value);
  [[nodiscard]] std::uint32_t read(std::uint64_t offset) const;
  void lose_power();

 private:
  void control(std::uint32_t value);
  void begin();
  void end(std::uint32_t& raised);
  void stop(std::uint32_t& raised);
  std::uint32_t command(std::uint32_t units);
  bool fetch(std::uint32_t* words);
  void execute(const std::uint32_t* words);
  void move(const std::uint32_t* words, bool privileged);
  void skip_packet() { position_ = bytes_; }
  void record(std::uint32_t word, std::uint32_t value);
  void tell(std::uint32_t kind, std::uint64_t address, std::uint32_t bytes);
  void check(bool done, Place at, std::uint32_t bytes);

  Parts& parts_;
  std::uint32_t number_;
  std::uint64_t ring_ = 0, record_ = 0;
  std::uint32_t entries_ = 0, head_ = 0, tail_ = 0, control_ = KST_CONTROL_STOP, progress_ = 0;
  bool preempting_ = false;
  std::uint32_t preempt_fence_ = 0, preempt_tail_ = 0;
  bool active_ = false;
  Place place_;  // of the packet
  std::uint32_t flags_ = 0, bytes_ = 0, fence_ = 0, position_ = 0, spent_ = 0;
};

}  // namespace kestrel
