// What a call into the driver must leave as it found it: IRQL and locks. Internal to the kernel.
#pragma once

#include "conformance/host/nt/core/kernel.h"
#include "conformance/host/nt/core/machine.h"

namespace wddm::nt {

/// Checks on the way out that the routine kept the IRQL and released its locks, then restores the
/// IRQL. Findings name `what` and the routine's position.
class CallCheck {
 public:
  CallCheck(const char* what, const void* routine);
  ~CallCheck();
  CallCheck(const CallCheck&) = delete;
  CallCheck& operator=(const CallCheck&) = delete;

 private:
  const char* what_;
  const void* routine_;
  const char* outer_;
  std::uint8_t irql_;
  std::uint32_t locks_;
  Regions regions_;
};

/// Compares the running fiber with what it was before the call and puts IRQL and regions right.
void check_return(const char* what, const void* routine, std::uint8_t irql, std::uint32_t locks,
                  const Regions& regions);
[[nodiscard]] Regions regions_of(const Fiber& fiber);

/// Remembers a lock that the running fiber has acquired (the first kMaxHeldLocks), and forgets it.
void lock_acquired(const volatile void* lock, const char* kind, const void* caller, bool spin);
/// `owner` may be null: the thread that held it has ended.
void lock_released(Fiber* owner, const volatile void* lock);

/// Value of a KSPIN_LOCK word held by `fiber` on its CPU.
[[nodiscard]] inline std::uint64_t lock_word(const Fiber& fiber) {
  return (std::uint64_t{fiber.ordinal} + 1) << 8 | (fiber.cpu + 1u);
}
/// The fiber behind a lock word, or null.
[[nodiscard]] Fiber* lock_owner(std::uint64_t word);
/// The fiber at this address, or null if there is none (any more).
[[nodiscard]] Fiber* known_fiber(const void* address);

}  // namespace wddm::nt
