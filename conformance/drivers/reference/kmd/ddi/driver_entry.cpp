// DriverEntry: the table of a render-only driver. What only displays need stays zero, and so does
// what belongs to the other way of addressing memory.
#include "driver_ddis.h"
#include "../kmd_addressing.h"
#include "../kmd_factory.h"
#include "../segment_layout.h"

using namespace reference_kmd;

namespace {

void fill_for_patch_lists(DRIVER_INITIALIZATION_DATA* table) {
  table->Version = computes_only() ? DXGKDDI_INTERFACE_VERSION_WDDM2_6
                   : is_wddm_2()   ? DXGKDDI_INTERFACE_VERSION_WDDM2_0
                                   : DXGKDDI_INTERFACE_VERSION_WDDM1_3;
  table->DxgkDdiRender = ddi_render;
  if (!computes_only()) table->DxgkDdiPresent = ddi_present;
  table->DxgkDdiPatch = ddi_patch;
}

void fill_for_gpu_virtual_addresses(DRIVER_INITIALIZATION_DATA* table) {
  table->Version = tests_in_kernel_mode()    ? DXGKDDI_INTERFACE_VERSION_WDDM3_2
                   : maps_by_address_lists() ? DXGKDDI_INTERFACE_VERSION_WDDM3_0
                                             : DXGKDDI_INTERFACE_VERSION_WDDM2_6;
  table->DxgkDdiCreateProcess = ddi_create_process;
  table->DxgkDdiDestroyProcess = ddi_destroy_process;
  if (!io_mmu_alone()) {
    table->DxgkDdiSetRootPageTable = ddi_set_root_page_table;
    table->DxgkDdiGetRootPageTableSize = ddi_get_root_page_table_size;
  }
  table->DxgkDdiSubmitCommandVirtual = ddi_submit_command_virtual;
  table->DxgkDdiMapCpuHostAperture = ddi_map_cpu_host_aperture;
  table->DxgkDdiUnmapCpuHostAperture = ddi_unmap_cpu_host_aperture;
  if (gpus_of_link() > 1) table->DxgkDdiLinkDevice = ddi_link_device;
}

void fill_for_compute_only(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiCalibrateGpuClock = ddi_calibrate_gpu_clock;
  table->DxgkDdiFormatHistoryBuffer = ddi_format_history_buffer;
  table->DxgkDdiSetStablePowerState = ddi_set_stable_power_state;
  table->DxgkDdiSetVirtualMachineData = ddi_set_virtual_machine_data;
  // Required and forbidden by one page: one kind of device has it, one has not.
  if (!manages_power()) table->DxgkDdiQueryConnectionChange = ddi_query_connection_change;
}

void fill_for_managed(DRIVER_INITIALIZATION_DATA* table) {
  if (manages_power()) {
    table->DxgkDdiSetPowerComponentFState = ddi_set_power_component_f_state;
    table->DxgkDdiPowerRuntimeControlRequest = ddi_power_runtime_control_request;
  }
  if (can_be_pulled_out()) table->DxgkDdiNotifySurpriseRemoval = ddi_notify_surprise_removal;
  if (can_be_isolated()) {
    table->DxgkDdiBeginExclusiveAccess = ddi_begin_exclusive_access;
    table->DxgkDdiEndExclusiveAccess = ddi_end_exclusive_access;
  }
}

// What a device that only computes must not have, or has no use for.
void fill_for_drawing(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiAcquireSwizzlingRange = ddi_acquire_swizzling_range;
  table->DxgkDdiReleaseSwizzlingRange = ddi_release_swizzling_range;
  table->DxgkDdiControlInterrupt = ddi_control_interrupt;
  table->DxgkDdiQueryCurrentFence = ddi_query_current_fence;
  table->DxgkDdiQueryInterface = ddi_query_interface;
}

}  // namespace

extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  PAGED_CODE();
  prepare_factory(RegistryPath);
  choose_addressing(RegistryPath);
  choose_segment_layout(RegistryPath);

  DRIVER_INITIALIZATION_DATA table = {};
  if (uses_gpu_virtual_addresses()) {
    fill_for_gpu_virtual_addresses(&table);
  } else {
    fill_for_patch_lists(&table);
  }
  if (computes_only()) {
    fill_for_compute_only(&table);
    fill_for_managed(&table);
  } else {
    fill_for_drawing(&table);
  }

  table.DxgkDdiAddDevice = ddi_add_device;
  table.DxgkDdiStartDevice = ddi_start_device;
  table.DxgkDdiStopDevice = ddi_stop_device;
  table.DxgkDdiRemoveDevice = ddi_remove_device;
  table.DxgkDdiUnload = ddi_unload;
  table.DxgkDdiSetPowerState = ddi_set_power_state;
  table.DxgkDdiDispatchIoRequest = ddi_dispatch_io_request;
  table.DxgkDdiQueryChildRelations = ddi_query_child_relations;
  table.DxgkDdiQueryChildStatus = ddi_query_child_status;
  table.DxgkDdiQueryDeviceDescriptor = ddi_query_device_descriptor;

  table.DxgkDdiQueryAdapterInfo = ddi_query_adapter_info;
  table.DxgkDdiGetNodeMetadata = ddi_get_node_metadata;
  table.DxgkDdiCreateDevice = ddi_create_device;
  table.DxgkDdiDestroyDevice = ddi_destroy_device;
  table.DxgkDdiCreateContext = has_contexts() ? ddi_create_context : nullptr;
  table.DxgkDdiDestroyContext = has_contexts() ? ddi_destroy_context : nullptr;
  table.DxgkDdiCreateAllocation = ddi_create_allocation;
  table.DxgkDdiDestroyAllocation = ddi_destroy_allocation;
  table.DxgkDdiDescribeAllocation = ddi_describe_allocation;
  table.DxgkDdiGetStandardAllocationDriverData = ddi_get_standard_allocation_driver_data;
  table.DxgkDdiOpenAllocation = ddi_open_allocation;
  table.DxgkDdiCloseAllocation = ddi_close_allocation;
  table.DxgkDdiEscape = ddi_escape;

  table.DxgkDdiBuildPagingBuffer = ddi_build_paging_buffer;
  table.DxgkDdiCancelCommand = ddi_cancel_command;
  table.DxgkDdiQueryDependentEngineGroup = ddi_query_dependent_engine_group;
  table.DxgkDdiQueryEngineStatus = ddi_query_engine_status;
  table.DxgkDdiResetEngine = ddi_reset_engine;
  table.DxgkDdiResetFromTimeout = ddi_reset_from_timeout;
  table.DxgkDdiRestartFromTimeout = ddi_restart_from_timeout;

  table.DxgkDdiInterruptRoutine = ddi_interrupt_routine;
  table.DxgkDdiDpcRoutine = ddi_dpc_routine;
  table.DxgkDdiSubmitCommand = ddi_submit_command;
  table.DxgkDdiPreemptCommand = ddi_preempt_command;
  table.DxgkDdiResetDevice = ddi_reset_device;
  table.DxgkDdiCollectDbgInfo = ddi_collect_dbg_info;

  return DxgkInitialize(DriverObject, RegistryPath, &table);
}
