// Which memory one abstract command touches, and whether it does anything at all.
//
// This is where the total meaning of `command.h` is decided, once: `execute.h` carries effects out,
// and whoever hands commands to a vendor's client asks here first and drops the no-ops, so that no
// vendor has to encode an access out of range. Left out: the data (`execute.h`).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "reference/gpu/command.h"

namespace wddm::gpu {

/// The allocation each slot of a command stream names.
///
/// A plain value. A stream begins with every slot unbound; whoever runs it in pieces keeps this
/// between the pieces.
class Bindings {
 public:
  constexpr Bindings() { allocations_.fill(kNone); }

  /// Out-of-range slots are ignored.
  constexpr void bind(std::uint16_t slot, AllocationId allocation) {
    if (slot < kBindingSlots) allocations_[slot] = allocation.value;
  }
  constexpr void unbind(std::uint16_t slot) {
    if (slot < kBindingSlots) allocations_[slot] = kNone;
  }
  [[nodiscard]] constexpr bool bound(std::uint16_t slot) const {
    return slot < kBindingSlots && allocations_[slot] != kNone;
  }
  /// The allocation `slot` names. Only for bound slots.
  [[nodiscard]] constexpr AllocationId at(std::uint16_t slot) const {
    return AllocationId{allocations_[slot]};
  }
  /// Follows Bind and Unbind, ignores every other command.
  constexpr void apply(const Command& command) {
    if (command.kind == CommandKind::Bind) bind(command.slot, command.allocation);
    if (command.kind == CommandKind::Unbind) unbind(command.slot);
  }

  friend constexpr bool operator==(const Bindings&, const Bindings&) = default;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::array<std::uint32_t, kBindingSlots> allocations_{};
};

enum class AccessKind : std::uint8_t { Read, Write, ReadWrite };

/// One range of one allocation that a command touches: [offset, offset + size) in bytes.
struct Access {
  AllocationId allocation{};
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  AccessKind kind = AccessKind::Read;

  friend constexpr bool operator==(const Access&, const Access&) = default;
};

/// The memory a command touches: nothing, one range written, or (Copy) one read and one written.
struct Effect {
  std::uint32_t count = 0;
  std::array<Access, 2> accesses{};  ///< The range written comes first.

  [[nodiscard]] std::span<const Access> ranges() const { return {accesses.data(), count}; }
};

/// What `command` does to memory under `bindings`.
///
/// `sizes[id]` is the size in bytes of allocation `id`, 0 where there is none. An access has no
/// effect, as a whole, if it names an unbound slot or a missing allocation, is empty, isn't aligned
/// to 4 bytes, or ends beyond its allocation. A Copy whose ranges overlap has none either: copy
/// engines differ in what they make of it.
[[nodiscard]] Effect effect_of(const Command& command, const Bindings& bindings,
                               std::span<const std::uint64_t> sizes);

/// Whether a client must be given `command`: it touches memory, binds a slot that exists, uses a
/// semaphore that exists, or takes time.
[[nodiscard]] bool has_effect(const Command& command, const Bindings& bindings,
                              std::span<const std::uint64_t> sizes);

}  // namespace wddm::gpu
