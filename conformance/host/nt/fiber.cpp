// Stacks from the arena and switches between them. See fiber.h.
#include "conformance/host/nt/fiber.h"

#include <array>
#include <boost/context/detail/fcontext.hpp>

#include "conformance/host/memory/arena.h"
#include "conformance/host/memory/memory.h"
#include "reference/harness_assert.h"

#if WDDM_NT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace wddm::nt {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constexpr std::size_t kGuardBytes = 4096;
constexpr std::size_t kSlotBytes = kGuardBytes + kStackBytes;

struct Stacks {
  std::array<std::uint8_t*, kStackCount> base;  // of the guard page; null: not allocated yet
  std::array<std::uint16_t, kStackCount> free;  // stack of free slots, lowest on top at boot
  std::uint32_t free_count;
};
Stacks g_stacks;

// What the first run of a fiber needs; travels through the jump's data word.
struct Start {
  void (*entry)(void*);
  void* argument;
};
// Who is switching away; null if it will never run again.
Context* g_from = nullptr;

void started_switch([[maybe_unused]] void** save, [[maybe_unused]] const Context& to) {
#if WDDM_NT_ASAN
  __sanitizer_start_switch_fiber(save, to.stack_bottom, to.stack_bytes);
#endif
}

void finished_switch([[maybe_unused]] void* fake_stack) {
#if WDDM_NT_ASAN
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(fake_stack, &bottom, &bytes);
  // The thread's own stack learns its bounds from the first switch away from it.
  if (g_from != nullptr && g_from->stack_slot == kNoSlot) {
    g_from->stack_bottom = bottom;
    g_from->stack_bytes = bytes;
  }
#endif
}

void first_run(transfer_t transfer) {
  if (g_from != nullptr) g_from->resume_at = transfer.fctx;
  const Start start = *static_cast<Start*>(transfer.data);
  finished_switch(nullptr);
  start.entry(start.argument);
  HARNESS_ASSERT(!"a fiber's entry returned");
}

// The start record lies at the top of the stack it starts.
Start* start_of(const Context& context) {
  if (context.stack_slot == kNoSlot) return nullptr;
  auto* top = static_cast<std::uint8_t*>(const_cast<void*>(context.stack_bottom)) + kStackBytes;
  return reinterpret_cast<Start*>(top - 64);
}

}  // namespace

void stacks_boot() {
  g_stacks.base.fill(nullptr);
  for (std::uint32_t slot = 0; slot < kStackCount; ++slot)
    g_stacks.free[slot] = static_cast<std::uint16_t>(kStackCount - 1 - slot);
  g_stacks.free_count = kStackCount;
}

void context_make(Context& context, void (*entry)(void*), void* argument) {
  HARNESS_ASSERT(g_stacks.free_count != 0);
  const std::uint32_t slot = g_stacks.free[--g_stacks.free_count];
  std::uint8_t*& base = g_stacks.base[slot];
  if (base == nullptr) {
    base = static_cast<std::uint8_t*>(memory::arena_allocate(kSlotBytes, kGuardBytes));
    memory::arena_protect(base, kGuardBytes, memory::ArenaAccess::None);
  }
  context.stack_bottom = base + kGuardBytes;
  context.stack_bytes = kStackBytes;
  context.stack_slot = slot;
  context.fake_stack = nullptr;
#if WDDM_NT_ASAN
  // Frames of whoever left this stack without unwinding are still poisoned.
  __asan_unpoison_memory_region(context.stack_bottom, kStackBytes);
#endif
  Start* start = start_of(context);
  *start = {entry, argument};
  context.resume_at = make_fcontext(start, kStackBytes - 64, first_run);
}

void context_release(Context& context) {
  HARNESS_ASSERT(context.stack_slot < kStackCount && g_stacks.free_count < kStackCount);
  g_stacks.free[g_stacks.free_count++] = static_cast<std::uint16_t>(context.stack_slot);
  context.stack_slot = kNoSlot;
  context.resume_at = nullptr;
}

void context_switch(Context& from, Context& to) {
  HARNESS_ASSERT(to.resume_at != nullptr);
  g_from = &from;
  void* const target = to.resume_at;
  to.resume_at = nullptr;
  started_switch(&from.fake_stack, to);
  const transfer_t transfer = jump_fcontext(target, start_of(to));
  if (g_from != nullptr) g_from->resume_at = transfer.fctx;
  finished_switch(from.fake_stack);
}

void context_leave(Context& to) {
  HARNESS_ASSERT(to.resume_at != nullptr);
  g_from = nullptr;
  void* const target = to.resume_at;
  to.resume_at = nullptr;
#if WDDM_NT_ASAN
  __sanitizer_start_switch_fiber(nullptr, to.stack_bottom, to.stack_bytes);
#endif
  jump_fcontext(target, start_of(to));
  HARNESS_ASSERT(!"a fiber ran after its last switch");
  __builtin_unreachable();
}

bool in_stack_guard(const void* address) {
  const auto* at = static_cast<const std::uint8_t*>(address);
  for (const std::uint8_t* base : g_stacks.base)
    if (base != nullptr && at >= base && at < base + kGuardBytes) return true;
  return false;
}

}  // namespace wddm::nt
