// DxgkDdiRender: from a command buffer in the user-mode format to a DMA buffer and its patch list.
#pragma once

#include "command_stream.h"
#include "../kmd_driver.h"
#include "kmd_user_buffer.h"

namespace reference_kmd {

class Context;

class Renderer : public KernelObject {
 public:
  NTSTATUS render(Context* context, DXGKARG_RENDER* request);

  /// Words of NOP before each command that works.
  void pad_commands(ULONG words) { padding_ = words; }
  ULONG padding() const { return padding_; }

  /// First word of the command that sets the base of a slot which stays bound at a split point.
  virtual ULONG keep_slot_command(ULONG slot) const {
    return HW_COMMAND(HW_OP_SET_BASE, HW_WORDS_SET_BASE, slot, 0);
  }

 protected:
  /// Brings the command buffer into the kernel and makes sure that what will be translated was
  /// checked.
  virtual NTSTATUS capture_commands(const DXGKARG_RENDER& request, const AllocationList& list,
                                    const Device* device, UserCopy* commands);

 private:
  static NTSTATUS check_input_patches(const DXGKARG_RENDER& request, const AllocationList& list);

  ULONG padding_ = 0;
};

}  // namespace reference_kmd
