// State of the simulated machine: two CPUs, fibers, clock. One instance, reset by boot().
//
// A fiber below DISPATCH_LEVEL holds no CPU while it is switched out and may go on on either; at
// DISPATCH_LEVEL and above it keeps ("pins") its CPU until it runs again. ISRs and DPCs run on the
// fiber they interrupt, or on their CPU's idle fiber. Internal to the kernel.
#pragma once

#include <array>
#include <csetjmp>
#include <cstdint>

#include "conformance/host/nt/core/dispatcher.h"
#include "conformance/host/nt/core/fiber.h"
#include "conformance/host/nt/core/kernel.h"
#include "conformance/host/nt/core/list.h"

namespace wddm::nt {

inline constexpr std::uint32_t kCpus = 2;
/// Ordinals of the idle fibers and of the thread that calls run(), outside of the threads' range.
inline constexpr std::uint32_t kIdleOrdinal = kIdleThread;
inline constexpr std::uint32_t kRootOrdinal = 0xffffffff;
inline constexpr std::uint32_t kMaxHeldLocks = 16;
/// Yield points that a fiber may pass until others get their turn.
inline constexpr std::uint32_t kBudget = 256;

enum class FiberKind : std::uint8_t { Root, Idle, Host, Worker, Driver };
enum class FiberState : std::uint8_t {
  Runnable,  ///< in the run queue, perhaps running
  Spinning,  ///< in the run queue, but only runnable once the lock it wants is free
  Waiting,   ///< not in the run queue
  Settling,  ///< runs when nothing else can
  Ended,
};

/// What a fiber that is not runnable waits for: enough to say it in a hang report.
struct WaitReason {
  const char* service;  // null: nothing
  const void* caller;   // position in the driver
  const WaitBlock* blocks;
  std::uint32_t count;                 // blocks
  bool all;                            // WaitAll
  const volatile std::uint64_t* lock;  // spin lock
};

/// A lock that a fiber holds, remembered for findings.
struct HeldLock {
  const volatile void* lock;
  const char* kind;
  const void* caller;  // where it was acquired
  bool spin;
};

struct Fiber {
  DispatcherHeader header;  // first: the thread object that drivers wait for
  Context context;
  Link queue;     // in run queue or settle queue
  Link all;       // every fiber that has not been freed
  Link mutexes;   // KMUTEXes this thread owns
  Timer timeout;  // of a wait, a delay or a stall
  WaitReason waiting;
  const char* name;
  void (*body)(void*);
  void* argument;
  const char* innermost_call;
  std::uint32_t host_word;  // see kernel.h
  void* seh_top;            // innermost SEH frame of the driver
  sigjmp_buf* way_out;      // behind all foreign frames; see foreign_call.h
  std::int32_t seh_code;    // of the frame resumed last
  bool told_alive;          // as not ended at the end of Unload
  bool seh_resumed;         // since a frame was entered last
  std::array<HeldLock, kMaxHeldLocks> held;
  std::uint32_t locks_held;
  std::uint32_t spin_locks_held;
  std::int32_t wait_status;
  std::uint32_t ordinal;
  std::uint32_t budget;             // yield points until it must let others run
  std::uint32_t polls;              // yields since something happened, weighted
  std::uint32_t clock_reads;        // since it last waited
  Time stalled;                     // for how long it has kept its CPU busy since then
  std::uint32_t naps;               // waits for nothing but time, in the call that it is in
  Time waited;                      // ... that others let pass for it; see fiber_scheduler.cpp
  std::uint32_t apcs_disabled;      // KeEnterCriticalRegion depth
  std::uint32_t all_apcs_disabled;  // KeEnterGuardedRegion depth
  std::uint64_t progress_seen;
  FiberKind kind;
  FiberState state;
  std::uint8_t irql;
  std::uint8_t cpu;
  std::uint8_t home;  // CPU it prefers (idle fibers: must have)
  std::uint8_t dpc_depth;
  bool started;
  bool orphan;          // nobody refers to the record any more
  bool settle_on_wake;  // advance_time(): others first, even at its due time
  bool stalling;        // waits as KeStallExecutionProcessor does
  bool napping;         // waits for nothing but time, its CPU left to others
  bool left;            // what it waits for others have to do first; until it wakes
  bool owns_nothing;    // waits at the bottom of its loop
  std::int32_t exit_status;
  std::int32_t priority;
};

struct Cpu {
  Fiber* pinned;  // fiber switched out at DISPATCH_LEVEL or above
  Fiber* idle;
  Link dpcs;      // DpcBlock::link
  bool draining;  // its DPC queue is being worked off
};

struct InterruptState {
  Isr isr;
  void* context;
  bool level;
  bool storm;  // 64 ISR calls have not made the line fall
  bool dpcs_held;
  bool held;                  // until time passes
  std::uint64_t lock;         // the interrupt spin lock, a KSPIN_LOCK word
  std::uint32_t level_calls;  // ISR calls since the line last fell
  std::uint32_t messages[64];
  std::uint32_t message_count;
};

struct Machine {
  Observer* observer;
  SchedulePolicy* policy;
  Fiber* current;
  Fiber root;
  Fiber* application;    // thread 0
  Time application_ran;  // when it ran last
  std::array<Cpu, kCpus> cpus;
  Link run_queue;  // runnable and spinning fibers in order of arrival, the running one included
  Link settle_queue;
  Link all_fibers;
  Link timers;  // Timer::link in order of (due, insertion)
  Time now;
  std::uint64_t progress;      // counts whatever could end somebody's polling
  std::uint32_t poll_rounds;   // rounds of nothing but polling since the last progress
  std::uint32_t poll_steps;    // of them, those that YieldProcessor and stalls asked for
  std::uint32_t barren_ticks;  // expirations in a row that made no thread runnable
  std::uint32_t next_ordinal;
  std::uint32_t driver_threads;
  InterruptState interrupt;
  const char* volatile last_service;
  bool attention;  // some interrupt or DPC may be deliverable
  bool running;
  bool leaving;  // resumed fibers must leave at once
  bool services_yield;
  bool threads_held;  // those of the driver, until time passes or a call into it waits
  bool (*idle_hook)(void*);
  void* idle_context;
};

extern Machine g_machine;
[[nodiscard]] inline Machine& machine() {
  return g_machine;
}
[[nodiscard]] inline Fiber& running() {
  return *g_machine.current;
}

/// Makes a runnable fiber (idle fibers: a waiting one). `body` returns to end it.
[[nodiscard]] Fiber* fiber_create(FiberKind kind, const char* name, void (*body)(void*),
                                  void* argument);
/// Ends the running fiber: signals its thread object and never returns.
[[noreturn]] void fiber_end(std::int32_t exit_status);
/// Gives the stack of an ended fiber back, and its record if nobody refers to it.
void fiber_reap(Fiber& fiber);
/// The thread object of a fiber, as drivers see it.
[[nodiscard]] inline Fiber* fiber_of(void* thread_object) {
  return static_cast<Fiber*>(thread_object);
}

}  // namespace wddm::nt
