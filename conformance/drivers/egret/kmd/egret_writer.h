// Commands into paging buffers.
//
// Each operation writes whole commands while there is room. What is done so far stands in
// MultipassOffset, in a unit of the operation's own, when the buffer is full.
#pragma once
#include "egret_kmd.h"

class Writer {
 public:
  explicit Writer(DXGKARG_BUILDPAGINGBUFFER* args)
      : args_(args), at_((PUCHAR)args->pDmaBuffer), left_(args->DmaSize & ~3u) {}

  UINT DwordsLeft() const { return left_ / 4; }

  // Room for a command of `dwords`, its header written; null if there is none.
  UINT* Command(UINT op, UINT dwords) {
    if (dwords > DwordsLeft()) return nullptr;
    UINT* command = (UINT*)at_;
    command[0] = EG_HEADER(op, dwords);
    at_ += dwords * 4;
    left_ -= dwords * 4;
    return command;
  }

  NTSTATUS Done() {
    args_->pDmaBuffer = at_;
    return STATUS_SUCCESS;
  }
  NTSTATUS Full(UINT progress) {
    args_->pDmaBuffer = at_;
    args_->MultipassOffset = progress;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  }

 private:
  DXGKARG_BUILDPAGINGBUFFER* args_;
  PUCHAR at_;
  UINT left_;
};

inline void Put64(UINT* at, ULONGLONG value) {
  at[0] = (UINT)value;
  at[1] = (UINT)(value >> 32);
}

inline UINT Least(ULONGLONG a, ULONGLONG b) {
  return (UINT)(a < b ? a : b);
}

inline bool EmitCopy(Writer& writer, UINT op, ULONGLONG to, ULONGLONG from, UINT bytes) {
  UINT* c = writer.Command(op, 6);
  if (!c) return false;
  c[1] = bytes;
  Put64(c + 2, to);
  Put64(c + 4, from);
  return true;
}

inline bool EmitFill(Writer& writer, UINT op, ULONGLONG to, UINT bytes, UINT value) {
  UINT* c = writer.Command(op, 5);
  if (!c) return false;
  c[1] = bytes;
  Put64(c + 2, to);
  c[4] = value;
  return true;
}
