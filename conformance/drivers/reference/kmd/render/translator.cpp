#include "translator.h"

#include "render.h"

namespace reference_kmd {

Translator::Translator(const Renderer& renderer, const AllocationList& list,
                       DXGKARG_RENDER* request)
    : renderer_(renderer),
      list_(list),
      request_(*request),
      start_(static_cast<UCHAR*>(request->pDmaBuffer)) {}

NTSTATUS Translator::translate(const ULONG* commands) {
  const ULONG total = request_.CommandLength / sizeof(ULONG);
  ULONG at = 0;
  while (at < total) {
    // Checked before, so this only bounds what a command may be.
    const ULONG words = HW_COMMAND_WORDS(commands[at]);
    const CommandView command = {commands + at, max(1u, min(words, total - at))};
    const bool earlier_pass = at * sizeof(ULONG) < request_.MultipassOffset;
    if (!bind_or_unbind(command) && !earlier_pass) {
      const bool is_state = command.opcode() == HW_OP_LOAD_CONSTANT;
      if (!put(command, is_state)) {
        finish(at * sizeof(ULONG));
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      }
    }
    at += command.count;
  }
  close_buffer();
  finish(request_.CommandLength);
  return STATUS_SUCCESS;
}

bool Translator::bind_or_unbind(const CommandView& command) {
  Binding binding;
  if (command.opcode() == HW_OP_USER_BIND && command.count == HW_WORDS_USER_BIND) {
    binding.bound = list_.allocation(command.words[1]) != nullptr;
    binding.index = command.words[1];
    binding.offset = command.words[2];
  } else if (command.opcode() != HW_OP_USER_UNBIND) {
    return false;
  }
  wanted_[command.a() % HW_SLOT_COUNT] = binding;
  return true;
}

// False if there is no room. Commands that only set state of the context need no bindings.
bool Translator::put(const CommandView& command, bool is_state) {
  const ULONG padding = is_state ? 0 : renderer_.padding();
  if (!is_state && bindings_changed()) {
    if (!open_split_group(padding + command.count)) return false;
  } else if (used_ + (padding + command.count) * sizeof(ULONG) > request_.DmaSize) {
    return false;
  }
  for (ULONG i = 0; i < padding; ++i) put_word(i == 0 ? HW_COMMAND(HW_OP_NOP, padding, 0, 0) : 0);
  for (ULONG i = 0; i < command.count; ++i) put_word(command.words[i]);
  return true;
}

bool Translator::bindings_changed() const {
  for (ULONG slot = 0; slot < HW_SLOT_COUNT; ++slot) {
    if (!wanted_[slot].same_as(programmed_[slot])) return true;
  }
  return false;
}

bool Translator::open_split_group(ULONG words_behind) {
  UINT count = 0;
  for (ULONG slot = 0; slot < HW_SLOT_COUNT; ++slot) {
    if (wanted_[slot].bound || programmed_[slot].bound) ++count;
  }
  const ULONG words = count * HW_WORDS_SET_BASE + words_behind;
  if (used_ + words * sizeof(ULONG) > request_.DmaSize) return false;
  if (elements_ + count > request_.PatchLocationListOutSize) return false;

  const ULONG split_offset = used_;
  for (ULONG slot = 0; slot < HW_SLOT_COUNT; ++slot) {
    if (programmed_[slot].bound && !wanted_[slot].bound) {
      put_base(slot, HW_COMMAND(HW_OP_CLEAR_BASE, HW_WORDS_CLEAR_BASE, slot, 0), split_offset);
    }
  }
  for (ULONG slot = 0; slot < HW_SLOT_COUNT; ++slot) {
    if (wanted_[slot].bound && wanted_[slot].same_as(programmed_[slot])) {
      put_base(slot, renderer_.keep_slot_command(slot), split_offset);
    }
  }
  for (ULONG slot = 0; slot < HW_SLOT_COUNT; ++slot) {
    if (wanted_[slot].bound && !wanted_[slot].same_as(programmed_[slot])) {
      put_base(slot, HW_COMMAND(HW_OP_SET_BASE, HW_WORDS_SET_BASE, slot, 0), split_offset);
    }
  }
  for (ULONG slot = 0; slot < HW_SLOT_COUNT; ++slot) programmed_[slot] = wanted_[slot];
  return true;
}

// Releases what the stream released after its last command. Without room that may be left out: with
// the end of the buffer all its bindings end. What was bound and never used needs no address.
void Translator::close_buffer() {
  for (ULONG slot = 0; slot < HW_SLOT_COUNT; ++slot) {
    if (!wanted_[slot].same_as(programmed_[slot])) wanted_[slot] = Binding();
  }
  if (bindings_changed()) static_cast<void>(open_split_group(0));
}

// One command with an address field, and the element that names it.
void Translator::put_base(ULONG slot, ULONG first_word, ULONG split_offset) {
  const Binding& binding = wanted_[slot];
  D3DDDI_PATCHLOCATIONLIST element = {};
  element.AllocationIndex = binding.bound ? binding.index : list_.empty_entry();
  element.SlotId = slot;
  element.AllocationOffset = binding.offset;
  element.PatchOffset = used_ + HW_BASE_ADDRESS_OFFSET;
  element.SplitOffset = split_offset;
  request_.pPatchLocationListOut[elements_++] = element;

  // Final already, if the allocation stays where it is: Patch may be left out then.
  ULONGLONG address = HW_NO_ADDRESS;
  if (binding.bound && list_.entry(binding.index).SegmentId != 0) {
    address = static_cast<ULONGLONG>(list_.entry(binding.index).PhysicalAddress.QuadPart) +
              binding.offset;
  }
  put_word(first_word);
  put_word(0);
  put_word(static_cast<ULONG>(address));
  put_word(static_cast<ULONG>(address >> 32));
}

void Translator::put_word(ULONG word) {
  RtlCopyMemory(start_ + used_, &word, sizeof word);
  used_ += sizeof word;
}

void Translator::finish(UINT multipass_offset) {
  request_.pDmaBuffer = start_ + used_;
  request_.pPatchLocationListOut += elements_;
  request_.MultipassOffset = multipass_offset;
}

}  // namespace reference_kmd
