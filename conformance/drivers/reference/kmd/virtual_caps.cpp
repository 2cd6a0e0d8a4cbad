// What the driver says about itself with GPU virtual addresses, beyond what it says in either case.
#include "kmd_adapter.h"

namespace reference_kmd {

namespace {

constexpr ULONGLONG kInternalRangeBytes = 64 << 20;
constexpr ULONGLONG kLeastSpaceWithRange = 1 << 30;

// The input of a query that names a physical adapter; null if it is too short.
template <class Input>
const Input* input_of(const DXGKARG_QUERYADAPTERINFO& query) {
  if (query.pInputData == nullptr || query.InputDataSize < sizeof(Input)) return nullptr;
  return static_cast<const Input*>(query.pInputData);
}

template <class Output>
Output* output_of(const DXGKARG_QUERYADAPTERINFO& query) {
  return query.OutputDataSize < sizeof(Output) ? nullptr : static_cast<Output*>(query.pOutputData);
}

}  // namespace

NTSTATUS Adapter::query_virtual_info(const DXGKARG_QUERYADAPTERINFO& query) {
  if (!uses_gpu_virtual_addresses()) return STATUS_INVALID_PARAMETER;
  if (io_mmu_alone() && query.Type != DXGKQAITYPE_PHYSICALADAPTERCAPS) {
    return STATUS_INVALID_PARAMETER;
  }
  switch (query.Type) {
    case DXGKQAITYPE_GPUMMUCAPS: {
      const auto* input = input_of<DXGK_QUERYGPUMMUCAPSIN>(query);
      Adapter* named = input != nullptr ? gpu(input->PhysicalAdapterIndex) : nullptr;
      auto* caps = output_of<DXGK_GPUMMUCAPS>(query);
      if (named == nullptr || caps == nullptr) return STATUS_INVALID_PARAMETER;
      named->page_tables_.describe(caps);
      caps->VirtualAddressBitCount = address_bits_of_link();
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_PAGETABLELEVELDESC: {
      const auto* input = input_of<DXGK_QUERYPAGETABLELEVELDESCIN>(query);
      Adapter* named = input != nullptr ? gpu(input->PhysicalAdapterIndex) : nullptr;
      auto* description = output_of<DXGK_PAGE_TABLE_LEVEL_DESC>(query);
      if (named == nullptr || description == nullptr) return STATUS_INVALID_PARAMETER;
      const bool known = named->page_tables_.describe_level(input->LevelIndex, description);
      return known ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
    }
    case DXGKQAITYPE_PHYSICALADAPTERCAPS: {
      const auto* input = input_of<DXGK_QUERYPHYSICALADAPTERCAPSIN>(query);
      Adapter* named = input != nullptr ? gpu(input->PhysicalAdapterIndex) : nullptr;
      auto* caps = output_of<DXGK_PHYSICALADAPTERCAPS>(query);
      if (named == nullptr || caps == nullptr) return STATUS_INVALID_PARAMETER;
      RtlZeroMemory(caps, sizeof *caps);
      caps->NumExecutionNodes = HW_NODE_COUNT;
      caps->PagingNodeIndex = static_cast<WORD>(named->settings_.paging_node);
      caps->DxgkPhysicalAdapterHandle = named->dxgkrnl_.device_handle();
      caps->Flags.GpuMmuSupported = !io_mmu_alone();
      caps->Flags.IoMmuSupported = named->settings_.io_mmu != 0;
      return STATUS_SUCCESS;
    }
    default:
      return STATUS_INVALID_PARAMETER;
  }
}

// An address space of a link is as large as that of its smallest GPU.
UINT Adapter::address_bits_of_link() const {
  UINT bits = page_tables_.address_bits();
  for (const Adapter* other : gpus_) {
    if (other != nullptr) bits = min(bits, other->page_tables_.address_bits());
  }
  return bits;
}

// A driver that keeps addresses for itself says where Dxgkrnl's own lie as well. Behind the middle
// of the space, where a root of two levels would have to be large for them.
void Adapter::name_internal_range(DXGK_DRIVERCAPS* caps) const {
  if (settings_.reserved_ranges == 0 || settings_.page_table_levels == 2) return;
  const ULONGLONG space = 1ull << address_bits_of_link();
  if (space < kLeastSpaceWithRange) return;
  caps->InternalGpuVirtualAddressRangeStart = space / 8 * 5;
  caps->InternalGpuVirtualAddressRangeEnd = space / 8 * 5 + kInternalRangeBytes;
}

void Adapter::add_virtual_caps(DXGK_DRIVERCAPS* caps) const {
  // Reserved since Windows 7; that of the interface, as everywhere.
  caps->WDDMVersion = tests_in_kernel_mode()    ? DXGKDDI_WDDMv3_2
                      : maps_by_address_lists() ? DXGKDDI_WDDMv3_0
                                                : DXGKDDI_WDDMv2_6;
  caps->SchedulingCaps.NoDmaPatching = FALSE;  // there is nothing to patch
  caps->MemoryManagementCaps.VirtualAddressingSupported = TRUE;
  caps->MemoryManagementCaps.GpuMmuSupported = !io_mmu_alone();
  caps->MemoryManagementCaps.IoMmuSupported = io_mmu_alone();
  caps->MemoryManagementCaps.MapAperture2Supported = maps_by_address_lists();
  name_internal_range(caps);
}

}  // namespace reference_kmd
