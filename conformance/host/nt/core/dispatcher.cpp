// Waits and what ends them. An object's list of wait blocks is in order of arrival; WaitAll takes
// its objects only when all of them are signaled at once.
#include "conformance/host/nt/core/dispatcher.h"

#include <algorithm>
#include <array>

#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/core/service.h"
#include "reference/harness_assert.h"

namespace wddm::nt {
namespace {

bool satisfies(const DispatcherHeader& object, const Fiber& fiber) {
  if (object.signal_state > 0) return true;
  return object.kind == ObjectKind::Mutex &&
         reinterpret_cast<const MutexBlock&>(object).owner == &fiber;
}

// What a satisfied wait does to the object. Returns kStatusAbandoned for an abandoned mutex, else
// 0.
std::int32_t acquire(DispatcherHeader& object, Fiber& fiber) {
  switch (object.kind) {
    case ObjectKind::SynchronizationEvent:
    case ObjectKind::SynchronizationTimer:
      object.signal_state = 0;
      return 0;
    case ObjectKind::Semaphore:
      --object.signal_state;
      return 0;
    case ObjectKind::Mutex: {
      auto& mutex = reinterpret_cast<MutexBlock&>(object);
      --object.signal_state;
      if (mutex.owner != &fiber) {
        mutex.owner = &fiber;
        list_push_back(fiber.mutexes, mutex.link);
      }
      const bool abandoned = mutex.abandoned;
      mutex.abandoned = false;
      return abandoned ? kStatusAbandoned : 0;
    }
    case ObjectKind::NotificationEvent:
    case ObjectKind::Thread:
    case ObjectKind::NotificationTimer:
    case ObjectKind::Timeout:
      break;
  }
  return 0;  // the object is the driver's, and may name any kind
}

bool all_satisfy(std::span<DispatcherHeader* const> objects, const Fiber& fiber) {
  for (const DispatcherHeader* object : objects)
    if (!satisfies(*object, fiber)) return false;
  return true;
}

// Takes what can be taken now. False if the wait is not satisfied.
bool try_now(const WaitRequest& request, Fiber& self, std::int32_t* status) {
  if (request.all) {
    if (!all_satisfy(request.objects, self)) return false;
    *status = kStatusSuccess;
    for (DispatcherHeader* object : request.objects)
      if (acquire(*object, self) != 0) *status = kStatusAbandoned;
    return true;
  }
  for (std::size_t i = 0; i < request.objects.size(); ++i) {
    if (!satisfies(*request.objects[i], self)) continue;
    *status = acquire(*request.objects[i], self) + static_cast<std::int32_t>(i);
    return true;
  }
  return false;
}

void end_wait(Fiber& fiber, std::int32_t status) {
  auto* blocks = const_cast<WaitBlock*>(fiber.waiting.blocks);
  for (std::uint32_t i = 0; i < fiber.waiting.count; ++i) list_remove(blocks[i].link);
  timer_remove(fiber.timeout);
  fiber.wait_status = status;
  make_runnable(fiber);
}

// The wait of `block` is a WaitAll, and all of its objects are signaled.
bool take_all(const WaitBlock& block, std::int32_t* status) {
  Fiber& fiber = *block.fiber;
  for (std::uint32_t i = 0; i < fiber.waiting.count; ++i)
    if (!satisfies(*fiber.waiting.blocks[i].object, fiber)) return false;
  *status = kStatusSuccess;
  for (std::uint32_t i = 0; i < fiber.waiting.count; ++i)
    if (acquire(*fiber.waiting.blocks[i].object, fiber) != 0) *status = kStatusAbandoned;
  return true;
}

bool is_set_timer(const DispatcherHeader* object) {
  const bool timer = object->kind == ObjectKind::NotificationTimer ||
                     object->kind == ObjectKind::SynchronizationTimer;
  return timer && object->inserted != 0;
}

void wait_blocked(const WaitRequest& request, std::span<WaitBlock> blocks) {
  Fiber& self = running();
  for (std::size_t i = 0; i < request.objects.size(); ++i) {
    blocks[i] = {.link = {},
                 .object = request.objects[i],
                 .fiber = &self,
                 .index = static_cast<std::uint32_t>(i)};
    list_push_back(request.objects[i]->waiters, blocks[i].link);
  }
  self.waiting = {.service = request.service,
                  .caller = request.caller,
                  .blocks = blocks.data(),
                  .count = static_cast<std::uint32_t>(request.objects.size()),
                  .all = request.all,
                  .lock = nullptr};
  if (request.due != kForever) timer_insert(self.timeout, request.due);
  self.state = FiberState::Waiting;
  self.napping = std::ranges::all_of(request.objects, is_set_timer);
  if (self.napping) ++self.naps;
  block();
  self.napping = false;
}

void wait_for_few(const WaitRequest& request) {
  std::array<WaitBlock, 4> blocks;
  wait_blocked(request, blocks);
}

void wait_for_many(const WaitRequest& request) {
  std::array<WaitBlock, kMaxWaitObjects> blocks;
  wait_blocked(request, blocks);
}

void expire(Timer& timer) {
  if (timer.header.kind == ObjectKind::Timeout) {
    end_wait(*WDDM_CONTAINER(Fiber, timeout, &timer), kStatusTimeout);
    return;
  }
  if (timer.period != 0) timer_insert(timer, timer.due + Time{timer.period} * 10'000);
  timer.header.signal_state = 1;
  DpcBlock* const dpc = timer.dpc;
  wake_waiters(timer.header);
  if (dpc != nullptr) dpc_queue(*dpc, nullptr, nullptr);
}

}  // namespace

void header_init(DispatcherHeader& header, ObjectKind kind, std::uint32_t bytes,
                 std::int32_t signal_state) {
  header.kind = kind;
  header.absolute = 0;
  header.size = static_cast<std::uint8_t>(bytes / 4);
  header.inserted = 0;
  header.signal_state = signal_state;
  list_init(header.waiters);
}

void wake_waiters(DispatcherHeader& header) {
  Link* at = header.waiters.next;
  while (at != &header.waiters) {
    const WaitBlock& block = *WDDM_CONTAINER(WaitBlock, link, at);
    Fiber& fiber = *block.fiber;
    at = at->next;
    std::int32_t status = 0;
    if (fiber.waiting.all) {
      if (!take_all(block, &status)) continue;
    } else {
      if (!satisfies(header, fiber)) return;
      status = acquire(header, fiber) + static_cast<std::int32_t>(block.index);
    }
    // The same object may stand several times in one wait: step over all of that fiber's blocks.
    while (at != &header.waiters && WDDM_CONTAINER(WaitBlock, link, at)->fiber == &fiber)
      at = at->next;
    end_wait(fiber, status);
  }
}

std::int32_t wait_for(const WaitRequest& request) {
  HARNESS_ASSERT(!request.objects.empty() && request.objects.size() <= kMaxWaitObjects);
  Fiber& self = running();
  std::int32_t status = kStatusTimeout;
  if (try_now(request, self, &status)) return status;
  if (request.due <= machine().now) return kStatusTimeout;
  HARNESS_ASSERT(machine().running);
  if (request.objects.size() <= 4)
    wait_for_few(request);
  else
    wait_for_many(request);
  return self.wait_status;
}

void wait_until(Time due, const char* service, const void* caller) {
  HARNESS_ASSERT(machine().running);
  Fiber& self = running();
  self.waiting = {.service = service,
                  .caller = caller,
                  .blocks = nullptr,
                  .count = 0,
                  .all = false,
                  .lock = nullptr};
  timer_insert(self.timeout, due);
  self.state = FiberState::Waiting;
  block();
}

void stall_until(Time due, const char* service, const void* caller) {
  Fiber& self = running();
  self.stalled += due - machine().now;
  self.stalling = true;
  wait_until(due, service, caller);
  self.stalling = false;
}

void delay_until(Time due, const char* service, const void* caller) {
  Fiber& self = running();
  ++self.naps;
  self.napping = true;
  wait_until(due, service, caller);
  self.napping = false;
}

void timer_insert(Timer& timer, Time due) {
  timer.due = due;
  timer.header.inserted = 1;
  Link* at = machine().timers.previous;
  while (at != &machine().timers && WDDM_CONTAINER(Timer, link, at)->due > due) at = at->previous;
  list_insert_before(*at->next, timer.link);
}

bool timer_remove(Timer& timer) {
  if (timer.header.inserted == 0) return false;
  timer.header.inserted = 0;
  list_remove(timer.link);
  return true;
}

void timers_expire() {
  Machine& m = machine();
  while (!list_empty(m.timers)) {
    Timer& timer = *WDDM_CONTAINER(Timer, link, m.timers.next);
    if (timer.due > m.now) return;
    timer_remove(timer);
    expire(timer);
  }
}

std::int32_t event_set(DispatcherHeader& event) {
  const std::int32_t before = event.signal_state;
  event.signal_state = 1;
  if (!list_empty(event.waiters)) wake_waiters(event);
  return before;
}

std::int32_t event_reset(DispatcherHeader& event) {
  const std::int32_t before = event.signal_state;
  event.signal_state = 0;
  return before;
}

}  // namespace wddm::nt
