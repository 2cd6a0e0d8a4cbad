// Entry points that exist only with GPU virtual addresses. PASSIVE_LEVEL, pageable; submission is
// in ddi_nonpaged.cpp.
#include "driver_ddis.h"
#include "../kmd_adapter.h"
#include "../kmd_process.h"

#pragma code_seg("PAGE")

namespace reference_kmd {

namespace {

Adapter* adapter_of(HANDLE handle) {
  return static_cast<Adapter*>(handle);
}

}  // namespace

NTSTATUS ddi_create_process(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEPROCESS pArgs) {
  PAGED_CODE();
  return adapter_of(hAdapter)->create_process(pArgs);
}

NTSTATUS ddi_destroy_process(IN_CONST_HANDLE hAdapter, IN_CONST_HANDLE hKmdProcess) {
  PAGED_CODE();
  adapter_of(hAdapter)->destroy_process(static_cast<Process*>(hKmdProcess));
  return STATUS_SUCCESS;
}

VOID ddi_set_root_page_table(IN_CONST_HANDLE hAdapter,
                             IN_CONST_PDXGKARG_SETROOTPAGETABLE pSetPageTable) {
  PAGED_CODE();
  adapter_of(hAdapter)->set_root_page_table(*pSetPageTable);
}

SIZE_T ddi_get_root_page_table_size(IN_CONST_HANDLE hAdapter,
                                    INOUT_PDXGKARG_GETROOTPAGETABLESIZE pArgs) {
  PAGED_CODE();
  Adapter* named = adapter_of(hAdapter)->gpu(pArgs->PhysicalAdapterIndex);
  return named != nullptr ? named->page_tables().root_size(&pArgs->NumberOfPte) : 0;
}

NTSTATUS ddi_map_cpu_host_aperture(IN_CONST_HANDLE hAdapter,
                                   IN_CONST_PDXGKARG_MAPCPUHOSTAPERTURE pArgs) {
  PAGED_CODE();
  Adapter* named = adapter_of(hAdapter)->gpu(pArgs->PhysicalAdapterIndex);
  return named != nullptr ? named->map_cpu_host_aperture(*pArgs) : STATUS_INVALID_PARAMETER;
}

NTSTATUS ddi_unmap_cpu_host_aperture(IN_CONST_HANDLE hAdapter,
                                     IN_CONST_PDXGKARG_UNMAPCPUHOSTAPERTURE pArgs) {
  PAGED_CODE();
  Adapter* named = adapter_of(hAdapter)->gpu(pArgs->PhysicalAdapterIndex);
  return named != nullptr ? named->unmap_cpu_host_aperture(*pArgs) : STATUS_INVALID_PARAMETER;
}

}  // namespace reference_kmd
