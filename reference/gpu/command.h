// The abstract GPU commands: what a scenario asks a GPU to do, independent of any vendor.
//
// A client plug-in turns them into the command buffer of its driver; `execute.h` says what
// they do to memory. They are the project's own language, no document describes them. Their meaning
// is total: whatever the fields hold, a command is either carried out as a whole or does nothing
// (`effect.h` decides which), so any stream can be cut anywhere and still means something.
// Left out: vendor encodings, addresses, residency, and time beyond the count of Spin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "reference/types.h"

namespace wddm::gpu {

/// What a command does. Values are stored in traces and files: append only.
enum class CommandKind : std::uint8_t {
  Nop = 0,     ///< Nothing. Also the meaning of every value that isn't listed here.
  Bind = 1,    ///< `slot` names `allocation` from here on. No memory is touched.
  Unbind = 2,  ///< `slot` names nothing from here on. No memory is touched.
  Fill = 3,    ///< Writes `pattern()` to every dword of [offset, offset + size) of the target.
  Copy = 4,    ///< Copies `size` bytes from (`src_slot`, `src_offset`) to (`slot`, `offset`).
  Add = 5,     ///< Adds `addend()` to the dword at (`slot`, `offset`), modulo 2^32.
  Signal = 6,  ///< Sets semaphore `slot` to `value`.
  Wait = 7,    ///< Stops the stream until semaphore `slot` is at least `value`.
  Spin = 8,    ///< Uses `value` units of GPU time.
};
inline constexpr std::size_t kCommandKinds = 9;

/// How a Fill names its allocation. Values are stored: append only; others make it a no-op.
enum class FillTarget : std::uint8_t {
  Slot = 0,        ///< The allocation that `slot` names.
  Allocation = 1,  ///< `allocation` itself, without a binding.
};

/// Slots a command stream may bind; a higher `slot` is never bound.
inline constexpr std::size_t kBindingSlots = 256;
/// Semaphores a command stream may use; Signal and Wait on a higher index do nothing.
inline constexpr std::size_t kSemaphores = 64;

/// One abstract command. Plain data of 32 bytes; fields that a kind doesn't use are zero.
struct Command {
  CommandKind kind = CommandKind::Nop;
  FillTarget target = FillTarget::Slot;  ///< Fill only.
  std::uint16_t slot = 0;                ///< Slot written or bound; semaphore index.
  std::uint16_t src_slot = 0;            ///< Copy: slot read.
  std::uint16_t reserved = 0;
  std::uint64_t value = 0;       ///< Fill: pattern; Add: addend; Signal, Wait: value; Spin: units.
  AllocationId allocation{};     ///< Bind; Fill with FillTarget::Allocation.
  std::uint32_t offset = 0;      ///< Bytes into the allocation written, a multiple of 4.
  std::uint32_t src_offset = 0;  ///< Copy: bytes into the allocation read, a multiple of 4.
  std::uint32_t size = 0;        ///< Fill, Copy: bytes, a multiple of 4.

  /// Fill: the dword to write.
  [[nodiscard]] constexpr std::uint32_t pattern() const {
    return static_cast<std::uint32_t>(value);
  }
  /// Add: what is added to the dword.
  [[nodiscard]] constexpr std::uint32_t addend() const { return static_cast<std::uint32_t>(value); }

  friend constexpr bool operator==(const Command&, const Command&) = default;
};
static_assert(sizeof(Command) == 32);
static_assert(std::is_trivially_copyable_v<Command>);

constexpr Command bind(std::uint16_t slot, AllocationId allocation) {
  return {.kind = CommandKind::Bind, .slot = slot, .allocation = allocation};
}
constexpr Command unbind(std::uint16_t slot) {
  return {.kind = CommandKind::Unbind, .slot = slot};
}
constexpr Command fill(std::uint16_t slot, std::uint32_t offset, std::uint32_t size,
                       std::uint32_t pattern) {
  return {
      .kind = CommandKind::Fill, .slot = slot, .value = pattern, .offset = offset, .size = size};
}
constexpr Command fill(AllocationId allocation, std::uint32_t offset, std::uint32_t size,
                       std::uint32_t pattern) {
  return {.kind = CommandKind::Fill,
          .target = FillTarget::Allocation,
          .value = pattern,
          .allocation = allocation,
          .offset = offset,
          .size = size};
}
constexpr Command copy(std::uint16_t slot, std::uint32_t offset, std::uint16_t src_slot,
                       std::uint32_t src_offset, std::uint32_t size) {
  return {.kind = CommandKind::Copy,
          .slot = slot,
          .src_slot = src_slot,
          .offset = offset,
          .src_offset = src_offset,
          .size = size};
}
constexpr Command add(std::uint16_t slot, std::uint32_t offset, std::uint32_t addend) {
  return {.kind = CommandKind::Add, .slot = slot, .value = addend, .offset = offset};
}
constexpr Command signal(std::uint16_t semaphore, std::uint64_t value) {
  return {.kind = CommandKind::Signal, .slot = semaphore, .value = value};
}
constexpr Command wait(std::uint16_t semaphore, std::uint64_t value) {
  return {.kind = CommandKind::Wait, .slot = semaphore, .value = value};
}
constexpr Command spin(std::uint64_t units) {
  return {.kind = CommandKind::Spin, .value = units};
}

/// The word that scenarios and reports use for `kind`; "nop" for values that aren't listed.
constexpr const char* name(CommandKind kind) {
  switch (kind) {
    case CommandKind::Bind:
      return "bind";
    case CommandKind::Unbind:
      return "unbind";
    case CommandKind::Fill:
      return "fill";
    case CommandKind::Copy:
      return "copy";
    case CommandKind::Add:
      return "add";
    case CommandKind::Signal:
      return "signal";
    case CommandKind::Wait:
      return "wait";
    case CommandKind::Spin:
      return "spin";
    case CommandKind::Nop:
      break;
  }
  return "nop";
}

}  // namespace wddm::gpu
