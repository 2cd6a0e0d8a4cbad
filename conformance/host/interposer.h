// Everything that crosses the boundary, one method each: the seat of boundary faults.
//
// Order at the boundary: host -> tap -> interposer -> driver, for calls and for callbacks, so that
// the trace holds what the host saw. The default passes everything on unchanged. A fault overrides
// one method and alters arguments, results or callbacks; it works on any driver.
#pragma once

#include <d3dkmddi.h>
#include <dispmprt.h>

namespace wddm {

class Interposer {
 public:
  virtual ~Interposer() = default;

  /// The table that the driver gave to DxgkInitialize. Set by the host before the first call.
  DRIVER_INITIALIZATION_DATA driver{};

  // Calls into the driver. The host makes sure that the entry exists before it calls.
  virtual NTSTATUS DriverEntry(PDRIVER_INITIALIZE entry, PDRIVER_OBJECT object,
                               PUNICODE_STRING path) {
    return entry(object, path);
  }
  virtual NTSTATUS AddDevice(PDEVICE_OBJECT physical, PVOID* context) {
    return driver.DxgkDdiAddDevice(physical, context);
  }
  virtual NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE callbacks,
                               PULONG sources, PULONG children) {
    return driver.DxgkDdiStartDevice(context, info, callbacks, sources, children);
  }
  virtual NTSTATUS StopDevice(PVOID context) { return driver.DxgkDdiStopDevice(context); }
  virtual NTSTATUS RemoveDevice(PVOID context) { return driver.DxgkDdiRemoveDevice(context); }
  virtual void Unload() { driver.DxgkDdiUnload(); }
  virtual NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) {
    return driver.DxgkDdiQueryAdapterInfo(adapter, query);
  }
  virtual NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) {
    return driver.DxgkDdiCreateContext(device, create);
  }
  virtual NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) {
    return driver.DxgkDdiCreateAllocation(adapter, create);
  }
  virtual NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) {
    return driver.DxgkDdiRender(context, render);
  }
  virtual NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) {
    return driver.DxgkDdiPatch(adapter, patch);
  }
  virtual NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) {
    return driver.DxgkDdiSubmitCommand(adapter, submit);
  }
  virtual NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) {
    return driver.DxgkDdiPreemptCommand(adapter, preempt);
  }
  virtual NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) {
    return driver.DxgkDdiBuildPagingBuffer(adapter, build);
  }
  virtual NTSTATUS QueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* query) {
    return driver.DxgkDdiQueryCurrentFence(adapter, query);
  }
  virtual BOOLEAN InterruptRoutine(PVOID context, ULONG message) {
    return driver.DxgkDdiInterruptRoutine(context, message);
  }
  virtual void DpcRoutine(PVOID context) { driver.DxgkDdiDpcRoutine(context); }

  // Callbacks of the driver: what Dxgkrnl is told.
  virtual void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data);
  virtual void NotifyDpc(HANDLE adapter);
  virtual BOOLEAN QueueDpc(HANDLE adapter);
  virtual NTSTATUS UnmapMemory(HANDLE adapter, PVOID address);
};

}  // namespace wddm
