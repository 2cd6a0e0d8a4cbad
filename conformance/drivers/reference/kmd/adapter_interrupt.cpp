// The interrupt routine. Runs at device IRQL, also while other DDIs run; nothing here is pageable.
#include "kmd_adapter.h"

namespace reference_kmd {

BOOLEAN Adapter::handle_interrupt() {
  if (!registers_.mapped()) return FALSE;
  const ULONG status = registers_.read(HW_REG_INT_STATUS);
  if (status == 0) return FALSE;  // another device on the same line
  if (status & HW_INT_RESET_DONE) registers_.write(HW_REG_INT_ACK, HW_INT_RESET_DONE);
  bool notified = false;
  for (UINT i = 0; i < HW_NODE_COUNT; ++i) {
    if ((status & (1u << i)) != 0 && nodes_[i]->handle_interrupt()) notified = true;
  }
  // What engines have to say comes before what displays have.
  if ((status & HW_INT_RETRACE) != 0) {
    registers_.write(HW_REG_INT_ACK, HW_INT_RETRACE);
    dxgkrnl_.notify_retrace();
    notified = true;
  }
  if (notified) dxgkrnl_.queue_dpc();
  return TRUE;
}

}  // namespace reference_kmd
