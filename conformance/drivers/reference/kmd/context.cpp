#include "context.h"

#include "kmd_device.h"

namespace reference_kmd {

Process* Context::process() const {
  return device_ != nullptr ? device_->process() : nullptr;
}

NTSTATUS Context::initialize() {
  const NTSTATUS status = image_.allocate(sizeof(HwContextImage));
  if (!NT_SUCCESS(status)) return status;
  static_cast<HwContextImage*>(image_.bytes())->magic = HW_CONTEXT_MAGIC;
  return STATUS_SUCCESS;
}

StoppedPacket Context::take_stop(UINT start, UINT end) {
  StoppedPacket packet = stopped_;
  stopped_ = StoppedPacket();
  if (packet.start != start || packet.end != end) packet.valid = false;
  return packet;
}

}  // namespace reference_kmd
