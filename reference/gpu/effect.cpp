#include "reference/gpu/effect.h"

namespace wddm::gpu {
namespace {

constexpr std::uint32_t kDword = 4;

bool inside(AllocationId allocation, std::uint64_t offset, std::uint64_t size,
            std::span<const std::uint64_t> sizes) {
  if (allocation.value >= sizes.size()) return false;
  if (size == 0 || offset % kDword != 0 || size % kDword != 0) return false;
  const std::uint64_t limit = sizes[allocation.value];
  return offset <= limit && size <= limit - offset;
}

Effect one(AllocationId allocation, std::uint32_t offset, std::uint32_t size, AccessKind kind,
           std::span<const std::uint64_t> sizes) {
  if (!inside(allocation, offset, size, sizes)) return {};
  return {.count = 1, .accesses = {Access{allocation, offset, size, kind}}};
}

bool overlap(const Access& a, const Access& b) {
  return a.allocation == b.allocation &&
         std::uint64_t{a.offset} < std::uint64_t{b.offset} + b.size &&
         std::uint64_t{b.offset} < std::uint64_t{a.offset} + a.size;
}

Effect effect_of_copy(const Command& command, const Bindings& bindings,
                      std::span<const std::uint64_t> sizes) {
  if (!bindings.bound(command.slot) || !bindings.bound(command.src_slot)) return {};
  const Access to{bindings.at(command.slot), command.offset, command.size, AccessKind::Write};
  const Access from{bindings.at(command.src_slot), command.src_offset, command.size,
                    AccessKind::Read};
  if (!inside(to.allocation, to.offset, to.size, sizes)) return {};
  if (!inside(from.allocation, from.offset, from.size, sizes)) return {};
  if (overlap(to, from)) return {};
  return {.count = 2, .accesses = {to, from}};
}

}  // namespace

Effect effect_of(const Command& command, const Bindings& bindings,
                 std::span<const std::uint64_t> sizes) {
  switch (command.kind) {
    case CommandKind::Fill:
      if (command.target == FillTarget::Allocation)
        return one(command.allocation, command.offset, command.size, AccessKind::Write, sizes);
      if (command.target != FillTarget::Slot || !bindings.bound(command.slot)) return {};
      return one(bindings.at(command.slot), command.offset, command.size, AccessKind::Write, sizes);
    case CommandKind::Add:
      if (!bindings.bound(command.slot)) return {};
      return one(bindings.at(command.slot), command.offset, kDword, AccessKind::ReadWrite, sizes);
    case CommandKind::Copy:
      return effect_of_copy(command, bindings, sizes);
    case CommandKind::Nop:
    case CommandKind::Bind:
    case CommandKind::Unbind:
    case CommandKind::Signal:
    case CommandKind::Wait:
    case CommandKind::Spin:
      break;
  }
  return {};
}

bool has_effect(const Command& command, const Bindings& bindings,
                std::span<const std::uint64_t> sizes) {
  switch (command.kind) {
    case CommandKind::Bind:
    case CommandKind::Unbind:
      return command.slot < kBindingSlots;
    case CommandKind::Signal:
    case CommandKind::Wait:
      return command.slot < kSemaphores;
    case CommandKind::Spin:
      return command.value != 0;
    case CommandKind::Nop:
    case CommandKind::Fill:
    case CommandKind::Copy:
    case CommandKind::Add:
      break;
  }
  return effect_of(command, bindings, sizes).count != 0;
}

}  // namespace wddm::gpu
