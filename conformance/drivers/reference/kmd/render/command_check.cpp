#include "../kmd_allocation.h"
#include "command_stream.h"

namespace reference_kmd {

namespace {

class Checker {
 public:
  Checker(const AllocationList& list, const Device* device) : list_(list), device_(device) {}

  NTSTATUS check(const CommandView& command) {
    const ULONG* words = command.words;
    switch (command.opcode()) {
      case HW_OP_NOP:
        return STATUS_SUCCESS;
      case HW_OP_LOAD_CONSTANT:
        return shape(command, HW_WORDS_LOAD_CONSTANT, HW_CONSTANT_COUNT, 256);
      case HW_OP_SEM_SIGNAL:
      case HW_OP_SEM_WAIT:
        return shape(command, HW_WORDS_SEMAPHORE, HW_SEMAPHORE_COUNT, HW_CONSTANT_COUNT);
      case HW_OP_SPIN:
        return shape(command, HW_WORDS_SPIN, 256, 256);
      case HW_OP_USER_BIND:
        return bind(command);
      case HW_OP_USER_UNBIND: {
        const NTSTATUS status = shape(command, HW_WORDS_USER_UNBIND, HW_SLOT_COUNT, 256);
        if (status != STATUS_SUCCESS) return status;
        bound_[command.a()] = nullptr;
        // A release has to name an empty entry.
        return list_.empty_entry() < list_.count() ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
      }
      case HW_OP_FILL: {
        const NTSTATUS status = shape(command, HW_WORDS_FILL, HW_SLOT_COUNT, HW_CONSTANT_COUNT);
        return status != STATUS_SUCCESS ? status : access(command.a(), words[1], words[2]);
      }
      case HW_OP_COPY: {
        NTSTATUS status = shape(command, HW_WORDS_COPY, HW_SLOT_COUNT, HW_SLOT_COUNT);
        if (status == STATUS_SUCCESS) status = access(command.a(), words[1], words[3]);
        return status != STATUS_SUCCESS ? status : access(command.b(), words[2], words[3]);
      }
      case HW_OP_ADD: {
        const NTSTATUS status = shape(command, HW_WORDS_ADD, HW_SLOT_COUNT, HW_CONSTANT_COUNT);
        return status != STATUS_SUCCESS ? status : access(command.a(), words[1], sizeof(ULONG));
      }
      default:
        return command.opcode() >= HW_OP_SET_BASE ? STATUS_PRIVILEGED_INSTRUCTION
                                                  : STATUS_ILLEGAL_INSTRUCTION;
    }
  }

 private:
  static NTSTATUS shape(const CommandView& command, ULONG words, ULONG limit_a, ULONG limit_b) {
    if (command.count != words) return STATUS_INVALID_USER_BUFFER;
    if (command.a() >= limit_a || command.b() >= limit_b) return STATUS_INVALID_PARAMETER;
    return STATUS_SUCCESS;
  }

  NTSTATUS bind(const CommandView& command) {
    const NTSTATUS status = shape(command, HW_WORDS_USER_BIND, HW_SLOT_COUNT, 256);
    if (status != STATUS_SUCCESS) return status;
    if (command.words[1] >= list_.count()) return STATUS_INVALID_PARAMETER;
    OpenedAllocation* allocation = list_.allocation(command.words[1]);
    if (allocation == nullptr || allocation->device() != device_) return STATUS_INVALID_HANDLE;
    if (command.words[2] % sizeof(ULONG) != 0 || command.words[2] >= allocation->size()) {
      return STATUS_INVALID_PARAMETER;
    }
    bound_[command.a()] = allocation;
    offset_[command.a()] = command.words[2];
    return STATUS_SUCCESS;
  }

  NTSTATUS access(ULONG slot, ULONG offset, ULONG size) const {
    if (bound_[slot] == nullptr) return STATUS_INVALID_PARAMETER;
    if (offset % sizeof(ULONG) != 0 || size % sizeof(ULONG) != 0) return STATUS_INVALID_PARAMETER;
    const ULONGLONG end = static_cast<ULONGLONG>(offset_[slot]) + offset + size;
    // Beyond the allocation lies memory of others.
    return end <= bound_[slot]->size() ? STATUS_SUCCESS : STATUS_PRIVILEGED_INSTRUCTION;
  }

  const AllocationList& list_;
  const Device* const device_;
  OpenedAllocation* bound_[HW_SLOT_COUNT] = {};
  ULONG offset_[HW_SLOT_COUNT] = {};
};

}  // namespace

UINT AllocationList::empty_entry() const {
  UINT index = 0;
  while (index < count_ && entries_[index].hDeviceSpecificAllocation != nullptr) ++index;
  return index;
}

NTSTATUS check_commands(const void* commands, UINT bytes, const AllocationList& list,
                        const Device* device) {
  const ULONG* words = static_cast<const ULONG*>(commands);
  ULONG left = bytes / sizeof(ULONG);
  if (bytes % sizeof(ULONG) != 0) return STATUS_INVALID_USER_BUFFER;
  Checker checker(list, device);
  while (left != 0) {
    const ULONG count = HW_COMMAND_WORDS(words[0]);
    if (count == 0 || count > left) return STATUS_INVALID_USER_BUFFER;
    const NTSTATUS status = checker.check({words, count});
    if (status != STATUS_SUCCESS) return status;
    words += count;
    left -= count;
  }
  return STATUS_SUCCESS;
}

NTSTATUS check_hints(const D3DDDI_PATCHLOCATIONLIST* hints, UINT count, UINT command_bytes,
                     const AllocationList& list) {
  for (UINT i = 0; i < count; ++i) {
    const D3DDDI_PATCHLOCATIONLIST& hint = hints[i];
    const OpenedAllocation* allocation = list.allocation(hint.AllocationIndex);
    const bool in_buffer = hint.PatchOffset <= command_bytes &&
                           command_bytes - hint.PatchOffset >= sizeof(ULONG) &&
                           hint.SplitOffset <= hint.PatchOffset;
    const bool in_allocation = allocation == nullptr ? hint.AllocationOffset == 0
                                                     : hint.AllocationOffset < allocation->size();
    if (hint.AllocationIndex >= list.count() || hint.Value >= HW_SLOT_COUNT || !in_buffer ||
        !in_allocation) {
      return STATUS_INVALID_PARAMETER;
    }
  }
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
