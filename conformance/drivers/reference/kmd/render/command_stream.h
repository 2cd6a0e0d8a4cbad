// The user-mode command stream: its commands one by one, and whether they may be carried out.
//
// Format: umd.h and hw.h, "Commands". Since addresses are physical and have no bounds, every access
// is checked here against the allocation that the stream bound to the slot.
#pragma once

#include "../kmd_driver.h"

namespace reference_kmd {

class Device;
class OpenedAllocation;

// The allocation list of one Render call.
class AllocationList {
 public:
  AllocationList(const DXGK_ALLOCATIONLIST* entries, UINT count)
      : entries_(entries), count_(count) {}
  /// The allocation at `index`; null if the entry is empty or there is none.
  OpenedAllocation* allocation(UINT index) const {
    return index < count_
               ? static_cast<OpenedAllocation*>(entries_[index].hDeviceSpecificAllocation)
               : nullptr;
  }
  const DXGK_ALLOCATIONLIST& entry(UINT index) const { return entries_[index]; }
  UINT count() const { return count_; }
  /// Index of an entry that names nothing; count() if there is none.
  UINT empty_entry() const;

 private:
  const DXGK_ALLOCATIONLIST* const entries_;
  const UINT count_;
};

// What a slot is bound to: an entry of the allocation list and an offset into it.
struct Binding {
  bool bound = false;
  UINT index = 0;
  UINT offset = 0;
  bool same_as(const Binding& other) const {
    return bound == other.bound && (!bound || (index == other.index && offset == other.offset));
  }
};

// One command within a stream.
struct CommandView {
  const ULONG* words;
  ULONG count;  // words
  ULONG opcode() const { return HW_COMMAND_OPCODE(words[0]); }
  ULONG a() const { return HW_COMMAND_A(words[0]); }
  ULONG b() const { return HW_COMMAND_B(words[0]); }
};

/// Whether `words` may be translated: STATUS_SUCCESS or the status that Render is to return.
NTSTATUS check_commands(const void* commands, UINT bytes, const AllocationList& list,
                        const Device* device);
/// The same for the input patch locations of `count` elements.
NTSTATUS check_hints(const D3DDDI_PATCHLOCATIONLIST* hints, UINT count, UINT command_bytes,
                     const AllocationList& list);

}  // namespace reference_kmd
