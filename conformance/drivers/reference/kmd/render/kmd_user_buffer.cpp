#include "kmd_user_buffer.h"

namespace reference_kmd {

NTSTATUS copy_from_user(void* to, const void* from, SIZE_T bytes) {
  NTSTATUS status = STATUS_SUCCESS;
  __try {
    RtlCopyMemory(to, from, bytes);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    status = STATUS_INVALID_USER_BUFFER;
  }
  return status;
}

NTSTATUS UserCopy::take(const void* from, SIZE_T bytes) {
  if (bytes == 0) return STATUS_SUCCESS;
  if (from == nullptr) return STATUS_INVALID_USER_BUFFER;
  bytes_ = ExAllocatePoolWithTag(NonPagedPoolNx, bytes, kCaptureTag);
  if (bytes_ == nullptr) return STATUS_NO_MEMORY;
  return copy_from_user(bytes_, from, bytes);
}

}  // namespace reference_kmd
