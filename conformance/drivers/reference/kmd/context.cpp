#include "context.h"

#include "dxgkrnl.h"
#include "kmd_device.h"
#include "kmd_process.h"

namespace reference_kmd {

Process* Context::process() const {
  return device_ != nullptr ? device_->process() : nullptr;
}

NTSTATUS Context::initialize(Dxgkrnl& dxgkrnl) {
  const NTSTATUS status = image_.allocate(dxgkrnl, sizeof(HwContextImage));
  if (!NT_SUCCESS(status)) return status;
  auto* image = static_cast<HwContextImage*>(image_.bytes());
  image->magic = HW_CONTEXT_MAGIC;
  // The IOMMU knows none of the driver's own tables.
  if (!privileged_ && !uses_io_mmu_ && process() != nullptr) {
    image->status = process()->status_address();
  }
  return STATUS_SUCCESS;
}

NTSTATUS Context::initialize_in(Dxgkrnl& dxgkrnl, HANDLE dxgkrnl_handle, UINT segment) {
  const NTSTATUS status = dxgkrnl.create_context_allocation(
      dxgkrnl_handle, this, sizeof(HwContextImage), segment, &allocation_);
  if (!NT_SUCCESS(status) || uses_io_mmu_) return status;
  // Without an address of its own the image is used all the same.
  const ULONGLONG address = dxgkrnl.map_context_allocation(allocation_, sizeof(HwContextImage));
  if (address != 0) status_in_image_ = address + FIELD_OFFSET(HwContextImage, reserved2);
  return status;
}

void Context::release(Dxgkrnl& dxgkrnl) {
  if (allocation_ != nullptr) dxgkrnl.destroy_context_allocation(allocation_);
  allocation_ = nullptr;
}

StoppedPacket Context::take_stop(UINT start, UINT end) {
  StoppedPacket packet = stopped_;
  stopped_ = StoppedPacket();
  if (packet.start != start || packet.end != end) packet.valid = false;
  return packet;
}

}  // namespace reference_kmd
