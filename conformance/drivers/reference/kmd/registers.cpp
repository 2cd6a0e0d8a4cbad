#include "registers.h"

#include "dxgkrnl.h"

namespace reference_kmd {

namespace {

// The `n`th memory range of the device, counting from 0; null if there are fewer.
const CM_PARTIAL_RESOURCE_DESCRIPTOR* memory_range(PCM_RESOURCE_LIST resources, ULONG n) {
  if (resources == nullptr || resources->Count == 0) return nullptr;
  const CM_PARTIAL_RESOURCE_LIST& list = resources->List[0].PartialResourceList;
  const CM_PARTIAL_RESOURCE_DESCRIPTOR* descriptors = list.PartialDescriptors;
  for (ULONG i = 0; i < list.Count; ++i) {
    if (descriptors[i].Type == CmResourceTypeMemory && n-- == 0) return descriptors + i;
  }
  return nullptr;
}

}  // namespace

NTSTATUS Registers::map(Dxgkrnl& dxgkrnl, PCM_RESOURCE_LIST resources) {
  const CM_PARTIAL_RESOURCE_DESCRIPTOR* registers = memory_range(resources, 0);
  const CM_PARTIAL_RESOURCE_DESCRIPTOR* memory = memory_range(resources, 1);
  const CM_PARTIAL_RESOURCE_DESCRIPTOR* window = memory_range(resources, 2);
  if (registers == nullptr || memory == nullptr || window == nullptr ||
      registers->u.Memory.Length < HW_REGISTER_BAR_SIZE) {
    return STATUS_DEVICE_CONFIGURATION_ERROR;
  }
  PVOID base = nullptr;
  const NTSTATUS status =
      dxgkrnl.map_memory(registers->u.Memory.Start, HW_REGISTER_BAR_SIZE, &base);
  if (!NT_SUCCESS(status)) return status;
  base_ = static_cast<volatile ULONG*>(base);
  gone_ = 0;
  video_memory_ = memory->u.Memory.Start;
  host_aperture_ = window->u.Memory.Start;
  return read(HW_REG_ID) == HW_ID_VALUE ? STATUS_SUCCESS : STATUS_DEVICE_CONFIGURATION_ERROR;
}

void Registers::unmap(Dxgkrnl& dxgkrnl) {
  if (base_ == nullptr) return;
  // The interrupt routine looks at mapped() first, so the pointer goes before the mapping.
  PVOID base = const_cast<ULONG*>(base_);
  base_ = nullptr;
  dxgkrnl.unmap_memory(base);
}

}  // namespace reference_kmd
