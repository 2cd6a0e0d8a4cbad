// Fibers: a stack each, switched by Boost's fcontext with the annotations that ASan needs.
//
// Nothing here knows about scheduling. A fiber that will never run again leaves through a last
// switch that tells ASan to drop its fake stack; its frames are not unwound. Internal to this
// folder.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wddm::nt {

#if defined(__SANITIZE_ADDRESS__)
#define WDDM_NT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WDDM_NT_ASAN 1
#endif
#endif
#ifndef WDDM_NT_ASAN
#define WDDM_NT_ASAN 0
#endif

/// Usable bytes of each stack. Windows gives 24 KiB; unoptimised and sanitized frames are larger.
inline constexpr std::size_t kStackBytes = WDDM_NT_ASAN ? 512 << 10 : 128 << 10;
/// Stacks that can be in use at once.
inline constexpr std::uint32_t kStackCount = 256;

/// The machine-dependent half of a fiber.
struct Context {
  void* resume_at;           // fcontext_t; null while running or before the first switch
  void* fake_stack;          // ASan's
  const void* stack_bottom;  // lowest usable byte
  std::size_t stack_bytes;
  std::uint32_t stack_slot;  // kNoSlot: the thread's own stack
};
inline constexpr std::uint32_t kNoSlot = ~0u;

/// Stacks that drivers leave to the host and its workers.
inline constexpr std::uint32_t kReservedStacks = 64;
/// Whether a driver may have another stack.
[[nodiscard]] bool stack_left();

/// Forgets all stacks; the arena behind them was reset.
void stacks_boot();
/// Gives `context` a stack on which `entry(argument)` runs at the first switch. `entry` must not
/// return. HARNESS failure when all stacks are in use.
void context_make(Context& context, void (*entry)(void*), void* argument);
/// Gives the stack back. The fiber on it must never run again.
void context_release(Context& context);
/// Switches; returns when somebody switches back.
void context_switch(Context& from, Context& to);
/// The last switch of the running fiber.
[[noreturn]] void context_leave(Context& to);
/// Whether `address` lies in the inaccessible page below some stack in use.
[[nodiscard]] bool in_stack_guard(const void* address);

}  // namespace wddm::nt
