// Dispatcher objects and waits: what KEVENT, KSEMAPHORE, KMUTEX, KTIMER and threads have in common.
//
// The structures are the kernel's own view of the public ones, of the same size (KEVENT 24 bytes,
// KTIMER 64, KDPC 64, KMUTEX 56 at x64); members drivers never touch hold what we need instead.
// Internal to the kernel.
#pragma once

#include <cstdint>
#include <span>

#include "conformance/host/nt/core/kernel.h"
#include "conformance/host/nt/core/list.h"

namespace wddm::nt {

struct Fiber;

enum class ObjectKind : std::uint8_t {
  NotificationEvent = 0,
  SynchronizationEvent = 1,
  Mutex = 2,
  Semaphore = 5,
  Thread = 6,
  NotificationTimer = 8,
  SynchronizationTimer = 9,
  Timeout = 0x40,  // of a waiting fiber: never visible to drivers
};

struct DispatcherHeader {
  ObjectKind kind;
  std::uint8_t absolute;
  std::uint8_t size;      // of the object, in 4-byte words
  std::uint8_t inserted;  // timers: in the timer queue
  std::int32_t signal_state;
  Link waiters;  // WaitBlock::link
};
static_assert(sizeof(DispatcherHeader) == 24);

struct SemaphoreBlock {
  DispatcherHeader header;
  std::int32_t limit;
};
static_assert(sizeof(SemaphoreBlock) == 32);

struct MutexBlock {
  DispatcherHeader header;  // signal_state: 1 free, 0 or less held (recursion)
  Link link;                // Fiber::mutexes
  Fiber* owner;
  bool abandoned;
};
static_assert(sizeof(MutexBlock) == 56);

/// KDPC. `routine` takes (KDPC*, context, argument 1, argument 2).
struct DpcBlock {
  std::uint8_t type;
  std::uint8_t importance;  // 0 low, 1 medium, 2 high, 3 medium-high
  std::uint16_t target;     // CPU + 1; 0: the one that queues
  std::uint32_t queued_on;  // CPU + 1; 0: not queued
  Link link;
  void (*routine)(DpcBlock*, void*, void*, void*);
  void* context;
  void* argument1;
  void* argument2;
  const char* name;  // host DPCs; null for the driver's
};
static_assert(sizeof(DpcBlock) == 64);

struct Timer {
  DispatcherHeader header;
  Time due;
  Link link;
  DpcBlock* dpc;  // Timeout: the Fiber
  std::uint16_t processor;
  std::uint8_t from_driver;
  std::uint32_t period;  // milliseconds
};
static_assert(sizeof(Timer) == 64);

/// One object of one wait, on the waiting fiber's stack.
struct WaitBlock {
  Link link;  // in DispatcherHeader::waiters
  DispatcherHeader* object;
  Fiber* fiber;
  std::uint32_t index;
};

inline constexpr std::int32_t kStatusSuccess = 0;
inline constexpr std::int32_t kStatusTimeout = 0x102;
inline constexpr std::int32_t kStatusAbandoned = 0x80;
inline constexpr std::uint32_t kMaxWaitObjects = 64;
/// Means "no timeout".
inline constexpr Time kForever = ~Time{0};

void header_init(DispatcherHeader& header, ObjectKind kind, std::uint32_t bytes,
                 std::int32_t signal_state);
/// Wakes whoever the object's present state satisfies, first come first served.
void wake_waiters(DispatcherHeader& header);

struct WaitRequest {
  std::span<DispatcherHeader* const> objects;  // 1 to kMaxWaitObjects
  bool all;
  Time due;  // absolute; kForever: no timeout; not later than now: poll
  const char* service;
  const void* caller;
};
/// Waits on the running fiber. Returns index, kStatusAbandoned + index or kStatusTimeout.
[[nodiscard]] std::int32_t wait_for(const WaitRequest& request);
/// Waits for nothing but the time. At DISPATCH_LEVEL the CPU stays taken.
void wait_until(Time due, const char* service, const void* caller);
/// ... with its CPU busy meanwhile.
void stall_until(Time due, const char* service, const void* caller);
/// ... as one who sleeps.
void delay_until(Time due, const char* service, const void* caller);

// Operations on objects; all may wake fibers but switch to none.
std::int32_t event_set(DispatcherHeader& event);
std::int32_t event_reset(DispatcherHeader& event);

}  // namespace wddm::nt
