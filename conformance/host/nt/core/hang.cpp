// The hang report: one line for each fiber that waits, saying for what. Objects are numbered in the
// order in which the report first names them.
#include <array>
#include <cstdarg>
#include <cstdio>

#include "conformance/host/nt/core/call_check.h"
#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/core/service.h"

namespace wddm::nt {
namespace {

class Text {
 public:
  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int written =
        std::vsnprintf(buffer_.data() + used_, buffer_.size() - used_, format, arguments);
    va_end(arguments);
    if (written > 0)
      used_ = std::min(used_ + static_cast<std::size_t>(written), buffer_.size() - 1);
  }
  void add(std::string_view text) { add("%.*s", static_cast<int>(text.size()), text.data()); }
  [[nodiscard]] std::string_view view() const { return {buffer_.data(), used_}; }

 private:
  std::array<char, 16384> buffer_;
  std::size_t used_ = 0;
};

class Numbers {
 public:
  std::size_t of(const volatile void* object) {
    for (std::size_t i = 0; i < count_; ++i)
      if (seen_[i] == object) return i + 1;
    if (count_ < seen_.size()) seen_[count_++] = object;
    return count_;
  }

 private:
  std::array<const volatile void*, 256> seen_;
  std::size_t count_ = 0;
};

// One report at a time, and none returns: no need to put this on a driver's stack.
Text g_text;
Numbers g_numbers;

const char* kind_name(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::NotificationEvent:
    case ObjectKind::SynchronizationEvent:
      return "event";
    case ObjectKind::Mutex:
      return "mutex";
    case ObjectKind::Semaphore:
      return "semaphore";
    case ObjectKind::Thread:
      return "end of";
    case ObjectKind::NotificationTimer:
    case ObjectKind::SynchronizationTimer:
      return "timer";
    case ObjectKind::Timeout:
      break;
  }
  return "damaged object";
}

void add_thread(const Fiber& fiber) {
  if (fiber.kind == FiberKind::Idle) return g_text.add("%s", fiber.name);
  g_text.add("thread %u (%s)", fiber.ordinal,
             fiber.kind == FiberKind::Driver ? "driver" : fiber.name);
}

void add_object(DispatcherHeader& object) {
  if (object.kind == ObjectKind::Thread) {
    g_text.add("the end of ");
    return add_thread(*fiber_of(&object));
  }
  g_text.add("%s #%zu", kind_name(object.kind), g_numbers.of(&object));
  if (object.kind == ObjectKind::Mutex) {
    if (const Fiber* owner = reinterpret_cast<MutexBlock&>(object).owner) {
      g_text.add(" held by ");
      add_thread(*owner);
    }
  }
  if ((object.kind == ObjectKind::NotificationTimer ||
       object.kind == ObjectKind::SynchronizationTimer) &&
      object.inserted == 0)
    g_text.add(" (not set)");
}

void add_reason(const Fiber& fiber) {
  const WaitReason& reason = fiber.waiting;
  if (reason.lock != nullptr) {
    g_text.add(" for lock #%zu", g_numbers.of(reason.lock));
    if (const Fiber* owner = lock_owner(*reason.lock)) {
      g_text.add(" held by ");
      add_thread(*owner);
    }
  }
  for (std::uint32_t i = 0; i < reason.count; ++i) {
    g_text.add(i == 0 ? " for " : reason.all ? " and " : " or ");
    add_object(*reason.blocks[i].object);
  }
}

void add_waiter(const Fiber& fiber) {
  add_thread(fiber);
  if (fiber.innermost_call != nullptr) g_text.add(" in %s", fiber.innermost_call);
  if (fiber.waiting.service == nullptr) {
    g_text.add(" polls");
  } else {
    g_text.add(fiber.state == FiberState::Spinning ? " spins in %s" : " waits in %s",
               fiber.waiting.service);
    if (fiber.waiting.caller != nullptr) {
      g_text.add(" at ");
      g_text.add(code_position(fiber.waiting.caller));
    }
    add_reason(fiber);
  }
  if (fiber.irql >= kDispatch) g_text.add(" (at IRQL %u)", fiber.irql);
  g_text.add("\n");
}

}  // namespace

void report_hang(const char* why) {
  Machine& m = machine();
  g_text = {};
  g_numbers = {};
  g_text.add("%s\n", why);
  for (Link* at = m.all_fibers.next; at != &m.all_fibers; at = at->next) {
    const Fiber& fiber = *WDDM_CONTAINER(Fiber, all, at);
    const bool idle = fiber.kind == FiberKind::Idle && fiber.irql < kDispatch;
    if (!idle && fiber.state != FiberState::Ended) add_waiter(fiber);
  }
  m.observer->hang(g_text.view());
  __builtin_unreachable();
}

}  // namespace wddm::nt
