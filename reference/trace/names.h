// Ordinals of DDIs and callbacks in traces, and the names of NTSTATUS values, interrupt types and
// paging operations in text.
#pragma once

#include <cstdint>
#include <string>

namespace wddm {

// Append only: traces are compared across versions.
// clang-format off
#define WDDM_DDIS(X)                                                                              \
  X(DriverEntry) X(AddDevice) X(StartDevice) X(StopDevice) X(RemoveDevice) X(Unload)              \
  X(QueryAdapterInfo) X(CreateDevice) X(DestroyDevice) X(CreateContext) X(DestroyContext)         \
  X(CreateAllocation) X(DestroyAllocation) X(OpenAllocation) X(CloseAllocation)                   \
  X(DescribeAllocation) X(GetStandardAllocationDriverData) X(Render) X(RenderKm) X(Patch)         \
  X(SubmitCommand) X(SubmitCommandVirtual) X(PreemptCommand) X(CancelCommand)                     \
  X(BuildPagingBuffer) X(QueryCurrentFence) X(InterruptRoutine) X(DpcRoutine) X(SetPowerState)    \
  X(ResetEngine) X(QueryEngineStatus) X(QueryDependentEngineGroup) X(ResetFromTimeout)            \
  X(RestartFromTimeout) X(CollectDbgInfo) X(GetNodeMetadata) X(ControlInterrupt)                  \
  X(SetRootPageTable) X(GetRootPageTableSize) X(CreateProcess) X(DestroyProcess)                  \
  X(MapCpuHostAperture) X(UnmapCpuHostAperture) X(ResetDevice) X(QueryChildRelations)

#define WDDM_CALLBACKS(X)                                                                         \
  X(Unknown) X(GetDeviceInformation) X(NotifyInterrupt) X(NotifyDpc) X(QueueDpc)                  \
  X(SynchronizeExecution) X(MapMemory) X(UnmapMemory) X(ReadDeviceSpace) X(WriteDeviceSpace)      \
  X(GetHandleData) X(AcquireHandleData) X(ReleaseHandleData) X(EvalAcpiMethod)                    \
  X(IsDevicePresent) X(LogEtwEvent) X(ExcludeAdapterAccess) X(CreateContextAllocation)            \
  X(DestroyContextAllocation) X(MapContextAllocation) X(UpdateContextAllocation)                  \
  X(SetPowerComponentActive) X(SetPowerComponentIdle) X(SetPowerComponentLatency)                 \
  X(SetPowerComponentResidency) X(PowerRuntimeControlRequest) X(CompleteFStateTransition)         \
  X(CompletePStateTransition) X(AcquirePostDisplayOwnership) X(IndicateChildStatus)               \
  X(QueryServices) X(GetHandleParent) X(EnumHandleChildren) X(QueryVidPnInterface)                \
  X(QueryMonitorInterface) X(GetCaptureAddress) X(ReserveGpuVirtualAddressRange)                  \
  X(AllocateContiguousMemory) X(FreeContiguousMemory) X(AllocatePagesForMdl) X(FreePagesFromMdl)

// clang-format on
enum class DdiId : std::uint32_t {
#define X(name) name,
  WDDM_DDIS(X)
#undef X
};
enum class CallbackId : std::uint32_t {
#define X(name) name,
  WDDM_CALLBACKS(X)
#undef X
};

/// "DxgkDdiRender", "DriverEntry"; "?" for an unknown number.
[[nodiscard]] const char* ddi_name(std::uint32_t id);
/// "DxgkCbQueueDpc"
[[nodiscard]] const char* callback_name(std::uint32_t id);
/// "STATUS_INVALID_PARAMETER", or "0xC01E0102" for values without a name here.
[[nodiscard]] std::string status_name(std::uint32_t status);
/// "DXGK_INTERRUPT_DMA_COMPLETED"
[[nodiscard]] std::string interrupt_name(std::uint32_t type);
/// "DXGK_OPERATION_TRANSFER"
[[nodiscard]] std::string paging_operation_name(std::uint32_t operation);

}  // namespace wddm
