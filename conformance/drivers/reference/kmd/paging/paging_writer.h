// A cursor over the space that one BuildPagingBuffer call may write.
#pragma once

#include "kmd_paging.h"

namespace reference_kmd {

class PagingBuilder::Writer {
 public:
  Writer(VOID* buffer, UINT bytes)
      : next_(static_cast<UCHAR*>(buffer)), end_(static_cast<UCHAR*>(buffer) + bytes) {}

  bool has_room(ULONG words) const {
    return static_cast<SIZE_T>(end_ - next_) >= words * sizeof(ULONG);
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
};

}  // namespace reference_kmd
