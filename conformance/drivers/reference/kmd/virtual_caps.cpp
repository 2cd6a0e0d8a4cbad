// What the driver says about itself with GPU virtual addresses, beyond what it says in either case.
#include "kmd_adapter.h"

namespace reference_kmd {

namespace {

// The input of a query that names a physical adapter; null if it is too short. There is one
// adapter.
template <class Input>
const Input* input_of(const DXGKARG_QUERYADAPTERINFO& query) {
  if (query.pInputData == nullptr || query.InputDataSize < sizeof(Input)) return nullptr;
  const Input* input = static_cast<const Input*>(query.pInputData);
  return input->PhysicalAdapterIndex == 0 ? input : nullptr;
}

template <class Output>
Output* output_of(const DXGKARG_QUERYADAPTERINFO& query) {
  return query.OutputDataSize < sizeof(Output) ? nullptr : static_cast<Output*>(query.pOutputData);
}

}  // namespace

NTSTATUS Adapter::query_virtual_info(const DXGKARG_QUERYADAPTERINFO& query) {
  if (!uses_gpu_virtual_addresses()) return STATUS_INVALID_PARAMETER;
  switch (query.Type) {
    case DXGKQAITYPE_GPUMMUCAPS: {
      auto* caps = output_of<DXGK_GPUMMUCAPS>(query);
      if (input_of<DXGK_QUERYGPUMMUCAPSIN>(query) == nullptr || caps == nullptr) {
        return STATUS_INVALID_PARAMETER;
      }
      page_tables_.describe(caps);
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_PAGETABLELEVELDESC: {
      const auto* input = input_of<DXGK_QUERYPAGETABLELEVELDESCIN>(query);
      auto* description = output_of<DXGK_PAGE_TABLE_LEVEL_DESC>(query);
      if (input == nullptr || description == nullptr) return STATUS_INVALID_PARAMETER;
      return page_tables_.describe_level(input->LevelIndex, description) ? STATUS_SUCCESS
                                                                         : STATUS_INVALID_PARAMETER;
    }
    case DXGKQAITYPE_PHYSICALADAPTERCAPS: {
      auto* caps = output_of<DXGK_PHYSICALADAPTERCAPS>(query);
      if (input_of<DXGK_QUERYPHYSICALADAPTERCAPSIN>(query) == nullptr || caps == nullptr) {
        return STATUS_INVALID_PARAMETER;
      }
      RtlZeroMemory(caps, sizeof *caps);
      caps->NumExecutionNodes = HW_NODE_COUNT;
      caps->PagingNodeIndex = static_cast<WORD>(settings_.paging_node);
      caps->DxgkPhysicalAdapterHandle = dxgkrnl_.device_handle();
      caps->Flags.GpuMmuSupported = TRUE;
      return STATUS_SUCCESS;
    }
    default:
      return STATUS_INVALID_PARAMETER;
  }
}

void Adapter::add_virtual_caps(DXGK_DRIVERCAPS* caps) const {
  caps->WDDMVersion = DXGKDDI_WDDMv2_6;
  caps->SchedulingCaps.NoDmaPatching = FALSE;  // there is nothing to patch
  caps->MemoryManagementCaps.VirtualAddressingSupported = TRUE;
  caps->MemoryManagementCaps.GpuMmuSupported = TRUE;
}

}  // namespace reference_kmd
