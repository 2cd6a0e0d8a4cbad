// One pass of translation: checked commands in, hardware commands and patch locations out.
//
// Split points. Before a command that works, if bindings have changed since the last one, the
// translator opens a split group: a block of commands that clears the released slots and sets all
// others, those that stay bound included, with an element of the patch list for each. So a portion
// that begins at any split point finds every slot programmed with addresses of its own. Released
// slots come first in the list, so that their room is free before new allocations are brought in.
//
// Passes. When DMA buffer or list is full, MultipassOffset is the offset of the first command that
// is still to be translated. The next pass finds the bindings again by reading what lies before it.
#pragma once

#include "command_stream.h"
#include "../kmd_driver.h"

namespace reference_kmd {

class Renderer;

class Translator {
 public:
  Translator(const Renderer& renderer, const AllocationList& list, DXGKARG_RENDER* request);

  /// Translates from MultipassOffset on. On STATUS_SUCCESS and
  /// STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER the cursors of the request are updated.
  NTSTATUS translate(const ULONG* commands);

 private:
  bool put(const CommandView& command, bool is_state);
  bool bind_or_unbind(const CommandView& command);
  bool bindings_changed() const;
  bool open_split_group(ULONG words_behind);
  void close_buffer();
  void put_base(ULONG slot, ULONG first_word, ULONG split_offset);
  void put_word(ULONG word);
  void finish(UINT multipass_offset);

  const Renderer& renderer_;
  const AllocationList& list_;
  DXGKARG_RENDER& request_;
  UCHAR* const start_;
  ULONG used_ = 0;                     // bytes written
  UINT elements_ = 0;                  // of the patch list
  Binding wanted_[HW_SLOT_COUNT];      // as the user-mode stream has it here
  Binding programmed_[HW_SLOT_COUNT];  // as the DMA buffer has it here
};

}  // namespace reference_kmd
