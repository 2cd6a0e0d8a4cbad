// The state of the Wren, and what its sources share: memory behind the aperture, engines, the log.
//
// Engines have the same time and work beside each other. What a command does happens at once, and a
// large one is paid for afterwards. Left out: faults in the middle of a command undo nothing.
#pragma once

#include <cstdint>
#include <deque>

#include "conformance/drivers/wren/device/wren_hw.h"
#include "conformance/sdk/device.h"

namespace wren {

/// Zero is what it is without power.
struct Engine {
  std::uint32_t ring_lo, ring_hi, entries, head, tail, state, clock, progress;
  bool preempt, active, delaying;
  WrenDescriptor packet;
  std::uint64_t pc, end;
  std::uint32_t value, ticks, debt;  // debt: units that the last command still costs
};

struct Gpu {
  const WddmDeviceHost* host;
  std::uint32_t cause, mask, gtt_lo, gtt_hi, gtt_ctrl, status_lo, status_hi;
  int line;
  Engine engines[WREN_NODES];
  std::uint32_t semaphores[WREN_SEMAPHORES];
  std::deque<WddmDeviceEvent>* events;
};

/// The address without the bit that tells the aperture from system memory.
inline std::uint64_t plain(std::uint64_t address) {
  return address & ~((std::uint64_t)WREN_PHYSICAL << 32);
}
void log(Gpu* g, std::uint32_t kind, std::uint32_t node, std::uint32_t tag, std::uint64_t address,
         std::uint32_t length);

// wren_memory.cpp. Page by page; false at the first that may not be accessed, which `bad` then is.
bool access(Gpu* g, std::uint64_t address, void* buffer, std::uint32_t bytes, bool write);
bool move(Gpu* g, std::uint64_t to, std::uint64_t from, std::uint32_t bytes, std::uint64_t* bad);
bool fill(Gpu* g, std::uint64_t to, std::uint64_t bytes, std::uint32_t value, std::uint64_t* bad);
/// Entries of the aperture's table, from the one of `page` on.
void put_entries(Gpu* g, std::uint64_t page, const std::uint32_t* entries, std::uint32_t count);

// wren_execute.cpp
/// One command of the packet in execution; what it costs, 0 for a wait that goes on.
std::uint32_t execute(Gpu* g, std::uint32_t n);

// wren_engine.cpp
void update_line(Gpu* g);
void fault(Gpu* g, std::uint32_t n, std::uint32_t code, std::uint64_t address);
/// What engine `n` does next; its cost, 0 if there is nothing.
std::uint32_t step(Gpu* g, std::uint32_t n);
/// Of the engines of `domains`.
void reset(Gpu* g, std::uint32_t domains);

}  // namespace wren
