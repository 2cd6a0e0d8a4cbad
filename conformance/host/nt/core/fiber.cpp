// Stacks and the switches between them. See fiber.h.
//
// The stacks lie at fixed places of the arena with an inaccessible page below each. They stay
// mapped from run to run; boot() clears what the run before has used of them.
#include "conformance/host/nt/core/fiber.h"

#include <array>
#include <boost/context/detail/fcontext.hpp>
#include <cstring>

#include "conformance/host/memory/arena.h"
#include "conformance/host/memory/byte_scan.h"
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

static_assert(kSlotBytes * kStackCount <= memory::kStackZoneBytes);
// A stack is clear below this many clear pages in a row: no frame skips so much.
constexpr std::size_t kClearPages = 4;
constexpr std::size_t kPage = 4096;

struct Stacks {
  std::uint8_t* base;     // guard page, stack, guard page, stack, ...
  std::uint32_t mapped;   // which mapping of the zone the guards belong to
  std::uint32_t guarded;  // stacks that have their guard; slots are first used in ascending order
  std::uint32_t used;     // stacks used since boot
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

std::uint8_t* guard_of(std::uint32_t slot) {
  return g_stacks.base + slot * kSlotBytes;
}

// What drivers read of their stacks without having written it must not depend on former runs.
void clear_stack(std::uint32_t slot) {
  std::uint8_t* const bottom = guard_of(slot) + kGuardBytes;
#if WDDM_NT_ASAN
  // Frames that were left without unwinding are still poisoned.
  __asan_unpoison_memory_region(bottom, kStackBytes);
#endif
  std::size_t clear = 0;
  for (std::uint8_t* page = bottom + kStackBytes; page != bottom && clear < kClearPages;) {
    page -= kPage;
    if (memory::all_bytes_are(page, kPage, 0)) {
      ++clear;
    } else {
      std::memset(page, 0, kPage);
      clear = 0;
    }
  }
}

}  // namespace

void stacks_boot() {
  const memory::StackZone zone = memory::stack_zone();
  if (zone.mapped != g_stacks.mapped) {
    g_stacks.guarded = g_stacks.used = 0;
    g_stacks.base = zone.base;
    g_stacks.mapped = zone.mapped;
  }
  for (std::uint32_t slot = 0; slot < g_stacks.used; ++slot) clear_stack(slot);
  g_stacks.used = 0;
  for (std::uint32_t slot = 0; slot < kStackCount; ++slot)
    g_stacks.free[slot] = static_cast<std::uint16_t>(kStackCount - 1 - slot);
  g_stacks.free_count = kStackCount;
}

bool stack_left() {
  return g_stacks.free_count > kReservedStacks;
}

void context_make(Context& context, void (*entry)(void*), void* argument) {
  HARNESS_ASSERT(g_stacks.free_count != 0);
  const std::uint32_t slot = g_stacks.free[--g_stacks.free_count];
  std::uint8_t* const guard = guard_of(slot);
  if (slot >= g_stacks.guarded) {
    memory::arena_protect(guard, kGuardBytes, memory::ArenaAccess::None);
    g_stacks.guarded = slot + 1;
  }
  if (slot >= g_stacks.used) g_stacks.used = slot + 1;
  context.stack_bottom = guard + kGuardBytes;
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
  const std::uint64_t offset =
      reinterpret_cast<std::uint64_t>(address) - reinterpret_cast<std::uint64_t>(g_stacks.base);
  return offset < g_stacks.guarded * kSlotBytes && offset % kSlotBytes < kGuardBytes;
}

}  // namespace wddm::nt
