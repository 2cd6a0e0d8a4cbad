// What every file of the driver includes: kernel headers, hardware, pool tags, and the base class
// of objects that live in nonpaged pool.
#pragma once

#include <ntddk.h>

#include <dispmprt.h>

#include "../client/umd.h"
#include "../device/hw.h"

#ifndef D3DDDI_ALLOCATIONPRIORITY_NORMAL
#define D3DDDI_ALLOCATIONPRIORITY_NORMAL 0x78000000
#endif
#ifndef DISPLAY_ADAPTER_HW_ID
#define DISPLAY_ADAPTER_HW_ID 0xFFFFFFFF
#endif

namespace reference_kmd {

constexpr ULONG kObjectTag = 'OfeR';   // "RefO": adapter, nodes, devices, contexts, allocations
constexpr ULONG kArrayTag = 'AfeR';    // "RefA": arrays of nodes, tables of queued packets
constexpr ULONG kCaptureTag = 'CfeR';  // "RefC": copies of user-mode buffers

// An object in nonpaged pool. `new` gives null when there is no memory.
class KernelObject {
 public:
  KernelObject() = default;
  KernelObject(const KernelObject&) = delete;
  KernelObject& operator=(const KernelObject&) = delete;
  virtual ~KernelObject() {}

  static void* operator new(size_t bytes) noexcept {
    return ExAllocatePoolWithTag(NonPagedPoolNx, bytes, kObjectTag);
  }
  static void operator delete(void* object) { ExFreePoolWithTag(object, kObjectTag); }
};

// What Dxgkrnl tells the place of, in NotifyResidency and MapApertureSegment: its handle is a
// pointer to this.
class PlacedObject : public KernelObject {
 public:
  /// `address`: of the GPU. While it is not resident it is nowhere.
  virtual void note_residency(bool resident, ULONGLONG address) = 0;
  /// MapApertureSegment: the GPU address that its pages have there.
  virtual void note_mapping(ULONGLONG) {}
};

inline PHYSICAL_ADDRESS physical_address(ULONGLONG value) {
  PHYSICAL_ADDRESS address;
  address.QuadPart = static_cast<LONGLONG>(value);
  return address;
}

}  // namespace reference_kmd
