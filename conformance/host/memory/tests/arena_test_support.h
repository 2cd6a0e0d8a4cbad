// What the tests of memory/ share: memory in its initial state, and probes that survive a fault.
#pragma once

#include <gtest/gtest.h>

#include <csetjmp>
#include <csignal>
#include <cstdint>

#include "conformance/host/memory/fault.h"
#include "conformance/host/memory/memory.h"

namespace wddm::memory {

inline sigjmp_buf g_probe;

inline bool leave_probe(int signal, siginfo_t*, void*) {
  if (signal == SIGTRAP) return false;
  siglongjmp(g_probe, 1);
}

/// Whether reading the byte faults.
inline bool read_faults(const void* address) {
  const FaultHook before = set_fault_hook(leave_probe);
  const bool faulted = sigsetjmp(g_probe, 0) != 0;
  if (!faulted) {
    [[maybe_unused]] const std::uint8_t byte = *static_cast<const volatile std::uint8_t*>(address);
  }
  set_fault_hook(before);
  return faulted;
}

inline bool write_faults(void* address) {
  const FaultHook before = set_fault_hook(leave_probe);
  const bool faulted = sigsetjmp(g_probe, 0) != 0;
  if (!faulted) *static_cast<volatile std::uint8_t*>(address) = 1;
  set_fault_hook(before);
  return faulted;
}

class MemoryTest : public testing::Test {
 protected:
  MemoryTest() { map(); }
};

}  // namespace wddm::memory
