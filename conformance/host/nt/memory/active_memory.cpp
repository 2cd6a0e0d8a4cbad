// What may neither be freed nor initialised anew: objects that are linked into the kernel's lists.
// On Windows the lists would lead into freed memory, or lose what lies behind; Driver Verifier
// checks the same for timers, DPCs and locks.
#include "conformance/host/nt/memory/active_memory.h"

#include <cstdint>
#include <cstdio>

#include "conformance/host/nt/core/call_check.h"
#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/core/threads.h"

namespace wddm::nt {
namespace {

struct Range {
  std::uint64_t begin;
  std::uint64_t bytes;
  [[nodiscard]] bool has(const volatile void* address) const {
    return reinterpret_cast<std::uint64_t>(address) - begin < bytes;
  }
};

// What happened to a range, and how its objects relate to it.
struct Deed {
  FindingKind kind;
  const char* text;
};
constexpr Deed kFreed{FindingKind::PoolUseAfterFree, "freed while it holds"};
constexpr Deed kUnloaded{FindingKind::ObjectLeak, "unloaded while its variables hold"};
constexpr Deed kInitialised{FindingKind::BadParameter, "initialised while it is"};

// Takes the place of objects that are gone: never signaled.
DispatcherHeader g_gone;

class Retirement {
 public:
  Retirement(const Range& range, const Deed& deed, std::string_view service, const void* code)
      : range_(range), deed_(deed), service_(service), code_(code) {}

  void all() const {
    timers();
    dpcs();
    fibers();
    if (retire_work_items(reinterpret_cast<const void*>(range_.begin), range_.bytes) != 0)
      found("a queued work item");
  }

 private:
  void timers() const {
    Machine& m = machine();
    for (Link* at = m.timers.next; at != &m.timers;) {
      Timer& timer = *WDDM_CONTAINER(Timer, link, at);
      at = at->next;
      if (!range_.has(&timer)) continue;
      timer_remove(timer);
      found("a set timer");
    }
  }

  void dpcs() const {
    for (Cpu& cpu : machine().cpus) {
      for (Link* at = cpu.dpcs.next; at != &cpu.dpcs;) {
        DpcBlock& dpc = *WDDM_CONTAINER(DpcBlock, link, at);
        at = at->next;
        if (!range_.has(&dpc)) continue;
        dpc_remove(dpc);
        found("a queued DPC");
      }
    }
  }

  void fibers() const {
    Machine& m = machine();
    for (Link* at = m.all_fibers.next; at != &m.all_fibers; at = at->next) {
      Fiber& fiber = *WDDM_CONTAINER(Fiber, all, at);
      waits(fiber);
      mutexes(fiber);
      locks(fiber);
    }
  }

  void found(const char* what) const {
    char detail[96];
    std::snprintf(detail, sizeof detail, "%s %s", deed_.text, what);
    report(deed_.kind, service_, detail, code_);
  }

  void waits(Fiber& fiber) const {
    for (std::uint32_t i = 0; i < fiber.waiting.count; ++i) {
      auto& block = const_cast<WaitBlock&>(fiber.waiting.blocks[i]);
      if (!range_.has(block.object)) continue;
      list_remove(block.link);
      block.object = &g_gone;
      list_push_back(g_gone.waiters, block.link);
      found_of("an object", "waits for", fiber);
    }
    if (fiber.waiting.lock != nullptr && range_.has(fiber.waiting.lock))
      found_of("a lock", "waits for", fiber);
  }

  void mutexes(Fiber& fiber) const {
    for (Link* at = fiber.mutexes.next; at != &fiber.mutexes;) {
      MutexBlock& mutex = *WDDM_CONTAINER(MutexBlock, link, at);
      at = at->next;
      if (!range_.has(&mutex)) continue;
      list_remove(mutex.link);
      found_of("a mutex", "owns", fiber);
    }
  }

  void locks(Fiber& fiber) const {
    for (std::uint32_t i = fiber.locks_held; i-- > 0;) {
      const HeldLock lock = fiber.held[i];
      if (!range_.has(lock.lock)) continue;
      lock_released(&fiber, lock.lock);
      found_of("a lock", "holds", fiber);
    }
  }

  void found_of(const char* what, const char* how, const Fiber& fiber) const {
    char text[64];
    std::snprintf(text, sizeof text, "%s that thread %u %s", what, fiber.ordinal, how);
    found(text);
  }

  Range range_;
  Deed deed_;
  std::string_view service_;
  const void* code_;
};

}  // namespace

void active_memory_boot() {
  header_init(g_gone, ObjectKind::NotificationEvent, sizeof g_gone, 0);
}

void retire_memory(const void* begin, std::size_t bytes, std::string_view service,
                   const void* code) {
  if (machine().current == nullptr) return;
  Retirement({reinterpret_cast<std::uint64_t>(begin), bytes}, kFreed, service, code).all();
}

void retire_variables(const void* begin, std::size_t bytes) {
  if (machine().current == nullptr) return;
  Retirement({reinterpret_cast<std::uint64_t>(begin), bytes}, kUnloaded, "", nullptr).all();
}

void retire_object(const Service& service, const void* object, std::size_t bytes) {
  if (machine().current == nullptr) return;
  Retirement({reinterpret_cast<std::uint64_t>(object), bytes}, kInitialised, service.name(),
             service.caller())
      .all();
}

}  // namespace wddm::nt
