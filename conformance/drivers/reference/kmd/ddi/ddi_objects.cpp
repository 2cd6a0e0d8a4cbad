// Entry points for capabilities, devices, contexts and allocations. PASSIVE_LEVEL, pageable.
#include "driver_ddis.h"
#include "../kmd_adapter.h"
#include "../kmd_allocation.h"
#include "../kmd_device.h"
#include "../kmd_process.h"

#pragma code_seg("PAGE")

namespace reference_kmd {

namespace {

Adapter* adapter_of(HANDLE handle) {
  return static_cast<Adapter*>(handle);
}

// For what Dxgkrnl will name by its device.
NTSTATUS make_only_context(Device* device, DXGKARG_CREATEDEVICE* create) {
  DXGKARG_CREATECONTEXT request = {};
  request.NodeOrdinal = HW_NODE_RENDER;
  request.EngineAffinity = 1;
  const NTSTATUS status = device->adapter()->create_context(device, &request);
  if (!NT_SUCCESS(status)) return status;
  device->own(static_cast<Context*>(request.hContext), request.ContextInfo);
  device->guarantee_contract(device->adapter()->guarantees_contract());
  create->pInfo = device->info();
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS ddi_query_adapter_info(IN_CONST_HANDLE hAdapter,
                                IN_CONST_PDXGKARG_QUERYADAPTERINFO pQueryAdapterInfo) {
  PAGED_CODE();
  return adapter_of(hAdapter)->query_info(*pQueryAdapterInfo);
}

// The low half is the node, the high half the physical adapter.
NTSTATUS ddi_get_node_metadata(IN_CONST_HANDLE hAdapter, UINT NodeOrdinalAndAdapterIndex,
                               OUT_PDXGKARG_GETNODEMETADATA pGetNodeMetadata) {
  PAGED_CODE();
  if (hAdapter == nullptr || !adapter_of(hAdapter)->is_valid() || pGetNodeMetadata == nullptr) {
    return STATUS_INVALID_PARAMETER;
  }
  return adapter_of(hAdapter)->node_metadata(NodeOrdinalAndAdapterIndex, pGetNodeMetadata);
}

NTSTATUS ddi_create_device(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEDEVICE pCreateDevice) {
  PAGED_CODE();
  Process* process =
      uses_gpu_virtual_addresses() ? static_cast<Process*>(pCreateDevice->hKmdProcess) : nullptr;
  Device* device = new Device(adapter_of(hAdapter), pCreateDevice->hDevice, process);
  if (device == nullptr) return STATUS_NO_MEMORY;
  if (!has_contexts()) {
    const NTSTATUS status = make_only_context(device, pCreateDevice);
    if (!NT_SUCCESS(status)) {
      delete device;
      return status;
    }
  }
  pCreateDevice->hDevice = device;
  return STATUS_SUCCESS;
}

NTSTATUS ddi_destroy_device(IN_CONST_HANDLE hDevice) {
  PAGED_CODE();
  Device* device = static_cast<Device*>(hDevice);
  if (device->context() != nullptr) device->adapter()->destroy_context(device->context());
  delete device;
  return STATUS_SUCCESS;
}

NTSTATUS ddi_create_context(IN_CONST_HANDLE hDevice, INOUT_PDXGKARG_CREATECONTEXT pCreateContext) {
  PAGED_CODE();
  Device* device = static_cast<Device*>(hDevice);
  return device->adapter()->create_context(device, pCreateContext);
}

NTSTATUS ddi_destroy_context(IN_CONST_HANDLE hContext) {
  PAGED_CODE();
  Context* context = static_cast<Context*>(hContext);
  context->device()->adapter()->destroy_context(context);
  return STATUS_SUCCESS;
}

NTSTATUS ddi_create_allocation(IN_CONST_HANDLE hAdapter,
                               INOUT_PDXGKARG_CREATEALLOCATION pCreateAllocation) {
  PAGED_CODE();
  return create_allocations(pCreateAllocation, adapter_of(hAdapter)->allocation_rules());
}

NTSTATUS ddi_destroy_allocation(IN_CONST_HANDLE,
                                IN_CONST_PDXGKARG_DESTROYALLOCATION pDestroyAllocation) {
  PAGED_CODE();
  destroy_allocations(*pDestroyAllocation);
  return STATUS_SUCCESS;
}

NTSTATUS ddi_describe_allocation(IN_CONST_HANDLE,
                                 INOUT_PDXGKARG_DESCRIBEALLOCATION pDescribeAllocation) {
  PAGED_CODE();
  const auto* allocation = static_cast<Allocation*>(pDescribeAllocation->hAllocation);
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  allocation->describe_surface(pDescribeAllocation);
  return STATUS_SUCCESS;
}

NTSTATUS ddi_get_standard_allocation_driver_data(
    IN_CONST_HANDLE,
    INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA pGetStandardAllocationDriverData) {
  PAGED_CODE();
  return standard_allocation_data(pGetStandardAllocationDriverData);
}

NTSTATUS ddi_open_allocation(IN_CONST_HANDLE hDevice,
                             IN_CONST_PDXGKARG_OPENALLOCATION pOpenAllocation) {
  PAGED_CODE();
  Device* device = static_cast<Device*>(hDevice);
  for (UINT i = 0; i < pOpenAllocation->NumAllocations; ++i) {
    DXGK_OPENALLOCATIONINFO& info = pOpenAllocation->pOpenAllocation[i];
    auto* allocation =
        static_cast<Allocation*>(device->adapter()->dxgkrnl().allocation_data(info.hAllocation));
    OpenedAllocation* opened =
        allocation != nullptr ? new OpenedAllocation(device, allocation) : nullptr;
    info.hDeviceSpecificAllocation = opened;
    if (opened != nullptr) continue;
    while (i-- != 0) {
      DXGK_OPENALLOCATIONINFO& earlier = pOpenAllocation->pOpenAllocation[i];
      delete static_cast<OpenedAllocation*>(earlier.hDeviceSpecificAllocation);
      earlier.hDeviceSpecificAllocation = nullptr;
    }
    return allocation == nullptr ? STATUS_INVALID_HANDLE : STATUS_NO_MEMORY;
  }
  return STATUS_SUCCESS;
}

NTSTATUS ddi_close_allocation(IN_CONST_HANDLE, IN_CONST_PDXGKARG_CLOSEALLOCATION pCloseAllocation) {
  PAGED_CODE();
  for (UINT i = 0; i < pCloseAllocation->NumAllocations; ++i) {
    delete static_cast<OpenedAllocation*>(pCloseAllocation->pOpenHandleList[i]);
  }
  return STATUS_SUCCESS;
}

NTSTATUS ddi_acquire_swizzling_range(IN_CONST_HANDLE hAdapter,
                                     INOUT_PDXGKARG_ACQUIRESWIZZLINGRANGE pAcquireSwizzlingRange) {
  PAGED_CODE();
  return adapter_of(hAdapter)->acquire_swizzling_range(*pAcquireSwizzlingRange);
}

NTSTATUS ddi_release_swizzling_range(
    IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_RELEASESWIZZLINGRANGE pReleaseSwizzlingRange) {
  PAGED_CODE();
  return adapter_of(hAdapter)->release_swizzling_range(*pReleaseSwizzlingRange);
}

NTSTATUS ddi_escape(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_ESCAPE pEscape) {
  PAGED_CODE();
  return adapter_of(hAdapter)->answer_escape(*pEscape);
}

// Only vertical retrace can be switched, where there is one.
NTSTATUS ddi_control_interrupt(IN_CONST_HANDLE hAdapter, IN_CONST_DXGK_INTERRUPT_TYPE InterruptType,
                               IN_BOOLEAN EnableInterrupt) {
  PAGED_CODE();
  if (InterruptType != DXGK_INTERRUPT_CRTC_VSYNC || adapter_of(hAdapter)->video_sources() == 0) {
    return STATUS_NOT_IMPLEMENTED;
  }
  adapter_of(hAdapter)->report_retrace(EnableInterrupt != FALSE);
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
