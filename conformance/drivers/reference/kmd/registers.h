// The device's registers and where its video memory lies on the bus.
#pragma once

#include "kmd_driver.h"

namespace reference_kmd {

class Dxgkrnl;

class Registers {
 public:
  /// Finds the two memory ranges in `resources`, maps the registers and checks the identity.
  NTSTATUS map(Dxgkrnl& dxgkrnl, PCM_RESOURCE_LIST resources);
  void unmap(Dxgkrnl& dxgkrnl);
  bool mapped() const { return base_ != nullptr; }

  /// The device is gone: reads are zeros from here on, and writes go nowhere. Any IRQL.
  void forget_device() { InterlockedExchange(&gone_, 1); }
  ULONG read(ULONG offset) const { return gone_ != 0 ? 0 : READ_REGISTER_ULONG(at(offset)); }
  void write(ULONG offset, ULONG value) {
    if (gone_ == 0) WRITE_REGISTER_ULONG(at(offset), value);
  }
  void write64(ULONG offset, ULONGLONG value) {
    write(offset, static_cast<ULONG>(value));
    write(offset + 4, static_cast<ULONG>(value >> 32));
  }
  /// Bus address of video memory.
  PHYSICAL_ADDRESS video_memory() const { return video_memory_; }
  /// Bus address of the window to hidden memory.
  PHYSICAL_ADDRESS host_aperture() const { return host_aperture_; }

 private:
  volatile ULONG* at(ULONG offset) const { return base_ + offset / sizeof(ULONG); }

  volatile ULONG* base_ = nullptr;
  volatile LONG gone_ = 0;
  PHYSICAL_ADDRESS video_memory_ = {};
  PHYSICAL_ADDRESS host_aperture_ = {};
};

}  // namespace reference_kmd
