// What can be set in the registry, read once at each start of the device.
//
// Values are REG_DWORDs of the key that DXGK_DEVICE_INFO::DeviceRegistryPath names. A missing value
// means the default, one out of range the nearest limit.
#pragma once

#include "kmd_driver.h"

namespace reference_kmd {

struct Settings {
  ULONG preemption_aware = 1;
  ULONG no_dma_patching = 0;
  ULONG local_segment_pages = HW_LOCAL_PAGES;
  ULONG aperture_segment_pages = HW_APERTURE_PAGES;
  ULONG dma_buffer_size = 4 * PAGE_SIZE;
  ULONG paging_buffer_size = PAGE_SIZE;
  ULONG patch_location_list_size = 1024;
  ULONG allocation_list_size = 256;
  ULONG dma_buffers_in_aperture = 0;
  ULONG paging_buffers_in_aperture = 0;
  ULONG paging_node = HW_NODE_RENDER;

  void read(PUNICODE_STRING key_path);
};

/// Reads one REG_DWORD below `key`; `value` keeps what it holds if there is none.
void read_dword(HANDLE key, PCWSTR name, ULONG* value);
/// Opens a key for reading; null on failure. The caller closes it.
HANDLE open_key(PUNICODE_STRING path);

}  // namespace reference_kmd
