// The NT kernel that hosted drivers run on: fibers, two virtual CPUs, virtual time.
//
// Everything runs on one OS thread. Each driver thread, DDI call, ISR and DPC is a fiber or runs on
// the fiber it interrupts; control moves only at kernel services, so that a run is a function of
// driver, scenario and seed. Services themselves (KeSetEvent, ExAllocatePoolWithTag, ...) are the
// C functions that conformance/sdk/ddi declares; this header is what the user-mode Dxgkrnl uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace wddm::nt {

inline constexpr std::uint8_t kPassive = 0;
inline constexpr std::uint8_t kApc = 1;
inline constexpr std::uint8_t kDispatch = 2;
/// The level the device interrupts at: above DISPATCH_LEVEL, below PROFILE_LEVEL.
inline constexpr std::uint8_t kDirql = 5;
inline constexpr std::uint8_t kHigh = 15;

/// Ordinals from here on stand for the idle loops of the CPUs.
inline constexpr std::uint32_t kIdleThread = 0xffffff00;

/// 100 ns units of virtual time, as KeQuerySystemTime and relative timeouts count.
using Time = std::uint64_t;

/// What a kernel service caught the driver doing. The text form of each is its enumerator.
enum class FindingKind : std::uint16_t {
  None,
  IrqlTooHigh,          ///< service called above its documented maximum
  IrqlTooLow,           ///< service called below its documented minimum
  IrqlChanged,          ///< a DDI, DPC or ISR returned at another IRQL than it was called at
  LockHeldAtReturn,     ///< a DDI, DPC or ISR returned with a spin lock or fast mutex held
  LockNotHeld,          ///< release of a lock that the caller does not hold
  LockRecursive,        ///< acquire of a spin lock that this CPU or thread already holds
  WaitAtDispatch,       ///< a blocking wait at or above DISPATCH_LEVEL
  PagedCodeAtDispatch,  ///< PAGED_CODE() above APC_LEVEL
  PoolTagMismatch,
  PoolDoubleFree,
  PoolBadPointer,
  PoolOverrun,  ///< bytes behind or before a pool block were written
  PoolUseAfterFree,
  PoolLeak,  ///< blocks still allocated after DriverUnload; detail names tags
  ThreadAliveAtUnload,
  ObjectLeak,  ///< handles, references, work items, MDLs or mappings left at unload
  ReferenceUnderflow,
  BadHandle,
  BadParameter,   ///< a service was given an argument its documentation forbids
  Assertion,      ///< NT_ASSERT, ASSERT
  Breakpoint,     ///< DbgBreakPoint and kin
  BugCheck,       ///< KeBugCheckEx by the driver
  MissingImport,  ///< call of a function that the host does not offer
  StackOverflow,
  RegisterByPointer,    ///< a register BAR was dereferenced instead of READ/WRITE_REGISTER_*
  DmaOutsideMemory,     ///< the device was programmed to access memory nobody gave it
  PagedPoolAtDispatch,  ///< paged pool was accessed at or above DISPATCH_LEVEL
};
inline constexpr std::size_t kFindingKinds =
    static_cast<std::size_t>(FindingKind::PagedPoolAtDispatch) + 1;
[[nodiscard]] const char* name_of(FindingKind kind);

/// The levels that a function for drivers may be called at.
struct ServiceRange {
  const char* name;
  std::uint8_t min;
  std::uint8_t max;
};
/// A call at another level is a finding. `caller`: its place in the driver.
void check_irql(const ServiceRange& range, const void* caller);

/// Where the kernel tells what it saw. All text is free of addresses: objects have ordinals,
/// code positions are "function+offset" of the driver image.
class Observer {
 public:
  virtual ~Observer() = default;
  /// `service`: the kernel service; `detail`: one line; `caller`: code position in the driver.
  virtual void finding(FindingKind kind, std::string_view service, std::string_view detail,
                       std::string_view caller) = 0;
  virtual void debug_print(std::string_view line) = 0;
  /// KeBugCheckEx. Must not return: the scenario is over (see stop_machine).
  [[noreturn]] virtual void bug_check(std::uint32_t code, const std::uint64_t parameters[4]) = 0;
  /// Nothing can run, no timer is set, and somebody waits. `who_waits`: one line for each waiter.
  [[noreturn]] virtual void hang(std::string_view who_waits) = 0;
  /// A switch is about to happen: the place where the trace may record schedule choices.
  virtual void switched(std::uint8_t cpu, std::uint32_t thread_ordinal) = 0;
};

/// Chooses among ready fibers. The default is first come, first served.
class SchedulePolicy {
 public:
  virtual ~SchedulePolicy() = default;
  /// `ready`: number of fibers that could run now, at least 2; returns an index below it. They
  /// stand in order of arrival, except that the running fiber, where it could go on, is number 0.
  virtual std::uint32_t choose(std::uint32_t ready) = 0;
  /// The same, for policies that tell threads apart: their ordinals (kIdleThread + CPU for pending
  /// interrupts and DPCs of an idle CPU). At most 64 are offered.
  virtual std::uint32_t choose_among(std::span<const std::uint32_t> threads) {
    return choose(static_cast<std::uint32_t>(threads.size()));
  }
};

/// Starts the machine in its initial state: time 0, no threads, both CPUs at PASSIVE_LEVEL.
/// `policy` may be null (first come, first served).
void boot(Observer& observer, SchedulePolicy* policy);
/// Another policy from here on; null: first come, first served.
void set_policy(SchedulePolicy* policy);
/// Runs `main` as the first thread ("application 0") until it returns, then shuts the machine down.
/// Fibers still alive leave through their last annotated switch. Frames of the host are unwound,
/// foreign ones never are (foreign_call.h). memory::reset() and boot() must precede each run.
void run(void (*main)(void*), void* context);
/// Makes run() return at once, from any fiber: what an Observer that must not return can end with.
[[noreturn]] void stop_machine();
/// Whether every kernel service that a driver calls is a place where another thread may run, by the
/// choice of the policy; else those alone where threads meet (waits, locks, registers, ...).
void let_services_yield(bool on);
/// `hook` is asked when nothing can run, before time moves, and returns whether it changed
/// something (let the device work, say), in which case it is asked again when nothing can run. It
/// must not block. Null removes it.
void set_idle_hook(bool (*hook)(void*), void* context);

/// Tells code of the driver from the host's, which may access paged pool at any level; null: all is
/// the host's.
void set_driver_code(bool (*is_of_driver)(const void* code));

/// A thread of the host's own (VidSch worker, VidMm worker, application threads). It counts
/// neither as a leak nor as a driver thread. `name` must outlive the machine.
void spawn_host_thread(const char* name, void (*body)(void*), void* context);
/// Lets all others run until nothing is ready. Time passes for calls into the driver that stall or
/// wait, a second of it at most for each, and for nobody else.
void settle();
/// Lets `duration` of virtual time pass; timers and waits that expire in it run in order. Returns
/// when all others have settled at the new time.
void advance_time(Time duration);
[[nodiscard]] Time now();
[[nodiscard]] std::uint8_t irql();
[[nodiscard]] std::uint8_t current_cpu();
/// Ordinal of the running thread: 0 is the first application thread.
[[nodiscard]] std::uint32_t current_thread();
/// A word that each thread has for the host to use, 0 when the thread is made. Interrupts and DPCs
/// use that of the thread they interrupt.
[[nodiscard]] std::uint32_t& host_word();
/// Threads that the driver created and that have not ended.
[[nodiscard]] std::uint32_t driver_threads_alive();

/// Raises the current CPU to `irql` for one call into the driver and checks on the way out that the
/// driver returned at that level and with every lock released. Findings name `what`.
/// What a thread is inside of: depths of regions without APCs, and mutexes that it owns.
struct Regions {
  std::uint32_t critical = 0, guarded = 0, mutexes = 0;
};
class DriverCall {
 public:
  DriverCall(const char* what, std::uint8_t irql);
  ~DriverCall() noexcept(false);  // the run may end in an interrupt that was held back
  DriverCall(const DriverCall&) = delete;
  DriverCall& operator=(const DriverCall&) = delete;

 private:
  const char* what_;
  const char* outer_;
  void* outer_seh_;  // __try blocks outside of this call, which must not catch what happens in it
  std::uint8_t before_;
  std::uint8_t during_;
  std::uint32_t locks_before_;
  Regions regions_before_;
  std::uint32_t naps_before_;  // as the thread's own; see machine.h
  Time waited_before_, stalled_before_;
};
/// Name of the innermost DriverCall on the running fiber and the last kernel service entered;
/// async-signal-safe, for crash and timeout reports. Empty strings if none.
[[nodiscard]] const char* innermost_call();
[[nodiscard]] const char* last_service();

/// `hook` hears of a fault that is no exception of the driver's (and no access that memory answers)
/// before the process dies of it. Async-signal-safe code only, on an alternate stack.
void set_crash_hook(void (*hook)(int signal, const void* address));
/// What may come instead of the death of the process. Asked behind that hook, with the handler's
/// ucontext_t: where `takes` says so, `end` is called as if by the instruction that faulted, once
/// the signal has returned; it must not return itself. Both null: nothing does.
struct CrashEnd {
  bool (*takes)(int signal, const void* context) = nullptr;
  void (*end)() = nullptr;
};
void set_crash_end(CrashEnd end);
/// What a fault at `address` is called: StackOverflow, RegisterByPointer, or None if it is just a
/// crash. Async-signal-safe.
[[nodiscard]] FindingKind fault_kind(const void* address);

/// Connects the adapter's interrupt. `isr` runs at kDirql on the CPU that takes the interrupt and
/// returns whether it was its own; null disconnects.
using Isr = bool (*)(void* context, std::uint32_t message);
void connect_interrupt(Isr isr, void* context);
/// Level-triggered line: the ISR runs at the next point below kDirql, again and again (at most 64
/// times without the line falling) while `level` stays true. Safe to call from a device model.
void set_interrupt_line(bool level);
/// Whether the 64 calls were not enough; ends when the line falls or rises anew.
[[nodiscard]] bool interrupt_storm();
/// Edge: one ISR call with `message`. Lost while 64 are outstanding.
void raise_message(std::uint32_t message);
/// Runs `routine` at kDirql with the interrupt lock held (DxgkCbSynchronizeExecution), and checks
/// what it left behind. Above that level it does not run: false. `code`: its place in the driver.
bool synchronize(bool (*routine)(void*), void* context, const void* code = nullptr);
/// While held, interrupts are taken (ISR runs) but DPCs wait: lets several interrupts merge.
void hold_dpcs(bool held);
/// While held, interrupts that are raised wait: a call can find what none of them has told yet.
/// Ends when time has to pass, so that no thread of the driver waits for one longer than it can
/// tell.
void hold_interrupts(bool held);
/// While held, threads that the driver made do not run, as where others keep the processors: a call
/// can come before they have seen to what they were woken for. Ends when time has to pass, and when
/// a call into the driver waits, which may be for one of them.
void hold_threads(bool held);
[[nodiscard]] bool threads_held();

/// Makes a structure of the host (device, driver or file object) one that the driver may reference
/// and dereference until the next boot(). References left are leaks of "`type`".
enum class HostObject : std::uint8_t { Device, Driver, File };
void add_host_object(HostObject type, void* body);
/// What the adapter's hardware and compatible ids (IoGetDeviceProperty) are made of.
void set_pci_identity(std::uint16_t vendor, std::uint16_t device);

/// While one lives what the driver asserts is no finding, nor are its break points: for calls that
/// no system makes, and that are made to see what the documents have the driver return.
class AssertionsAside {
 public:
  AssertionsAside();
  ~AssertionsAside();
  AssertionsAside(const AssertionsAside&) = delete;
  AssertionsAside& operator=(const AssertionsAside&) = delete;
};

/// While one lives PAGED_CODE may be said at any level.
class PagedCodeAside {
 public:
  PagedCodeAside();
  ~PagedCodeAside();
  PagedCodeAside(const PagedCodeAside&) = delete;
  PagedCodeAside& operator=(const PagedCodeAside&) = delete;
};

/// Makes the k-th following allocation of the driver fail (1 = the next); 0 turns it off. Counted
/// are pool blocks, MDLs, contiguous memory, pages for MDLs, mappings, reserved addresses, and what
/// else may fail for want of resources by its page: threads, work items, events with a handle,
/// request packets, and user memory that is to be secured. Mapping at reserved addresses may not.
/// `every` makes all allocations from the k-th on fail.
void fail_pool(std::uint32_t kth, bool every);
/// While one lives nothing fails or is counted by the scenario's wish: for calls that are no part
/// of it.
class PoolFailuresPaused {
 public:
  PoolFailuresPaused();
  ~PoolFailuresPaused();
  PoolFailuresPaused(const PoolFailuresPaused&) = delete;
  PoolFailuresPaused& operator=(const PoolFailuresPaused&) = delete;

 private:
  std::uint32_t kth_;
  bool every_;
};
/// While one lives the k-th of those allocations and all behind it fail, and none by the scenario's
/// wish.
class PoolFails {
 public:
  explicit PoolFails(std::uint32_t kth);
  /// Whether one has failed.
  [[nodiscard]] bool any() const;

 private:
  const PoolFailuresPaused those_of_the_scenario_;
  std::uint64_t before_;
};

/// Sets or removes a REG_DWORD value of the driver's service key ("Parameters" lookups and
/// IoOpenDeviceRegistryKey see the same values). Names are ASCII, compared without case.
void set_registry_dword(std::string_view name, std::uint32_t value);
void clear_registry();

/// Pool blocks and bytes that the driver holds now.
struct PoolUsage {
  std::uint64_t blocks;
  std::uint64_t bytes;
};
[[nodiscard]] PoolUsage pool_usage();
/// Whether items of IoQueueWorkItem are queued or run, each of which holds on to a device object.
[[nodiscard]] bool io_items_at_work();
/// DriverUnload has returned: reports threads, work items and DPCs of the driver that have not
/// ended, each thread once. Its code is gone for them.
void report_unfinished();
/// Reports every leak (pool, threads, handles, references, work items, mappings) as findings.
/// Call once after DriverUnload.
void report_leaks();
/// Whether a thread or work item of the driver has not ended, or a timer or DPC of it is to come.
[[nodiscard]] bool driver_is_at_work();
/// Internal consistency of the kernel's own state; a violation there is damage by the driver.
[[nodiscard]] bool validate();

}  // namespace wddm::nt
