// Copies of user-mode buffers: the only place where the driver touches user memory.
#pragma once

#include "../kmd_driver.h"

namespace reference_kmd {

/// Copies `bytes` from user mode; STATUS_INVALID_USER_BUFFER if they can't all be read.
NTSTATUS copy_from_user(void* to, const void* from, SIZE_T bytes);

// A kernel copy of a user-mode buffer. What is checked and used is the copy, made once: user mode
// may go on writing to the original.
class UserCopy {
 public:
  UserCopy() = default;
  UserCopy(const UserCopy&) = delete;
  UserCopy& operator=(const UserCopy&) = delete;
  ~UserCopy() {
    if (bytes_ != nullptr) ExFreePoolWithTag(bytes_, kCaptureTag);
  }

  NTSTATUS take(const void* from, SIZE_T bytes);
  const void* bytes() const { return bytes_; }

 private:
  void* bytes_ = nullptr;
};

}  // namespace reference_kmd
