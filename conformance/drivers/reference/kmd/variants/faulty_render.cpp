#include "faulty.h"

namespace reference_kmd {

ULONG ForgetfulRenderer::keep_slot_command(ULONG) const {
  return HW_COMMAND(HW_OP_NOP, HW_WORDS_SET_BASE, 0, 0);
}

NTSTATUS DoubleFetchRenderer::capture_commands(const DXGKARG_RENDER& request,
                                               const AllocationList& list, const Device* device,
                                               UserCopy* commands) {
  NTSTATUS status = STATUS_SUCCESS;
  __try {
    status = check_commands(request.pCommand, request.CommandLength, list, device);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    status = STATUS_INVALID_USER_BUFFER;
  }
  if (status != STATUS_SUCCESS) return status;
  return commands->take(request.pCommand, request.CommandLength);
}

}  // namespace reference_kmd
