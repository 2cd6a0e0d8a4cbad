// A cursor over the space that one BuildPagingBuffer call may write.
#pragma once

#include "kmd_paging.h"

namespace reference_kmd {

class PagingBuilder::Writer {
 public:
  /// `padding`: words of NOP before each command.
  Writer(VOID* buffer, UINT bytes, ULONG padding)
      : next_(static_cast<UCHAR*>(buffer)),
        end_(static_cast<UCHAR*>(buffer) + bytes),
        padding_(padding) {}

  /// For so many commands of so many words each.
  bool has_room(ULONG words, ULONG commands = 1) const {
    return static_cast<SIZE_T>(end_ - next_) >= commands * (padding_ + words) * sizeof(ULONG);
  }
  /// The first word of a command.
  void put_command(ULONG first_word) {
    for (ULONG i = 0; i < padding_; ++i) put(i == 0 ? HW_COMMAND(HW_OP_NOP, padding_, 0, 0) : 0);
    put(first_word);
  }
  void put(ULONG word) {
    RtlCopyMemory(next_, &word, sizeof word);
    next_ += sizeof word;
  }
  void put64(ULONGLONG value) {
    put(static_cast<ULONG>(value));
    put(static_cast<ULONG>(value >> 32));
  }
  UCHAR* next() const { return next_; }

 private:
  UCHAR* next_;
  UCHAR* const end_;
  const ULONG padding_;
};

}  // namespace reference_kmd
