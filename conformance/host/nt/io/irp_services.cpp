// I/O request packets: allocation, the walk down and up their stack locations, completion.
//
// Below the display driver stands nothing: a device whose driver object has no dispatch routine
// completes every request with STATUS_NOT_SUPPORTED. Left out: cancel routines, MDLs and system
// buffers of requests (the caller's buffers are passed on), associated requests.
#include <array>

#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/leaks.h"
#include "conformance/host/nt/core/machine.h"
#include "conformance/host/nt/core/slab.h"
#include "conformance/host/nt/core/threads.h"
#include "conformance/host/nt/memory/pool.h"

using namespace wddm::nt;

namespace {

constexpr CCHAR kMaxStack = 16;

struct Request {
  IRP irp;
  Link all;
  bool freed_on_completion;  // made by IoBuild*: the I/O manager's, not the driver's
  std::array<IO_STACK_LOCATION, kMaxStack + 1> stack;
};

Slab<Request> g_requests;
Link g_all;

Request* request_of(PIRP irp) {
  for (Link* at = g_all.next; at != &g_all; at = at->next) {
    auto* request = WDDM_CONTAINER(Request, all, at);
    if (&request->irp == irp) return request;
  }
  return nullptr;
}

Request* make_request(CCHAR stack_size) {
  Request* request = g_requests.take();
  list_push_back(g_all, request->all);
  IRP& irp = request->irp;
  irp.Type = 6;
  irp.Size = sizeof(Request);
  irp.StackCount = static_cast<CHAR>(stack_size);
  irp.CurrentLocation = static_cast<CHAR>(stack_size + 1);
  irp.Tail.Overlay.CurrentStackLocation = &request->stack[static_cast<std::size_t>(stack_size)];
  irp.Tail.Overlay.Thread = reinterpret_cast<PETHREAD>(&running());
  return request;
}

void free_request(Request* request) {
  list_remove(request->all);
  g_requests.give(request);
}

// A request that the I/O manager frees when it completes.
Request* build(PDEVICE_OBJECT device, PKEVENT event, PIO_STATUS_BLOCK status, void* buffer) {
  const CCHAR stack = device != nullptr && device->StackSize > 0 ? device->StackSize : CCHAR{1};
  if (stack > kMaxStack || allocation_must_fail()) return nullptr;
  Request* request = make_request(stack);
  request->freed_on_completion = true;
  request->irp.UserEvent = event;
  request->irp.UserIosb = status;
  request->irp.UserBuffer = buffer;
  return request;
}

bool wants_call(const IO_STACK_LOCATION& location, const IRP& irp) {
  if (location.CompletionRoutine == nullptr) return false;
  if (irp.Cancel && (location.Control & SL_INVOKE_ON_CANCEL) != 0) return true;
  return (location.Control &
          (NT_SUCCESS(irp.IoStatus.Status) ? SL_INVOKE_ON_SUCCESS : SL_INVOKE_ON_ERROR)) != 0;
}

void complete(PIRP irp) {
  while (irp->CurrentLocation <= irp->StackCount) {
    const IO_STACK_LOCATION location = *irp->Tail.Overlay.CurrentStackLocation;
    ++irp->CurrentLocation;
    ++irp->Tail.Overlay.CurrentStackLocation;
    const bool top = irp->CurrentLocation > irp->StackCount;
    PDEVICE_OBJECT const device =
        top ? nullptr : irp->Tail.Overlay.CurrentStackLocation->DeviceObject;
    if (wants_call(location, *irp) && location.CompletionRoutine(device, irp, location.Context) ==
                                          STATUS_MORE_PROCESSING_REQUIRED)
      return;
  }
  Request* request = request_of(irp);
  if (request == nullptr || !request->freed_on_completion) return;
  if (irp->UserIosb != nullptr) *irp->UserIosb = irp->IoStatus;
  if (irp->UserEvent != nullptr) static_cast<void>(event_set(header_of(irp->UserEvent)));
  free_request(request);
}

}  // namespace

void wddm::nt::irps_boot() {
  g_requests.forget();
  list_init(g_all);
}

void wddm::nt::report_irp_leaks() {
  std::uint32_t count = 0;
  for (Link* at = g_all.next; at != &g_all; at = at->next) ++count;
  if (count != 0) leak("I/O", "request packet", count);
}

PIRP IoAllocateIrp(CCHAR StackSize, BOOLEAN) {
  NT_SERVICE(IoAllocateIrp);
  if (StackSize < 1 || StackSize > kMaxStack) {
    service.report(FindingKind::BadParameter, "StackSize out of 1..16");
    return nullptr;
  }
  if (allocation_must_fail()) return nullptr;
  return &make_request(StackSize)->irp;
}

VOID IoFreeIrp(PIRP Irp) {
  NT_SERVICE(IoFreeIrp);
  Request* request = request_of(Irp);
  if (request == nullptr || request->freed_on_completion) {
    service.report(FindingKind::BadParameter, "not a packet from IoAllocateIrp");
    return;
  }
  free_request(request);
}

BOOLEAN IoCancelIrp(PIRP Irp) {
  NT_SERVICE(IoCancelIrp);
  Irp->Cancel = TRUE;
  return FALSE;  // nobody set a cancel routine
}

PIRP IoBuildSynchronousFsdRequest(ULONG MajorFunction, PDEVICE_OBJECT DeviceObject, PVOID Buffer,
                                  ULONG Length, PLARGE_INTEGER StartingOffset, PKEVENT Event,
                                  PIO_STATUS_BLOCK IoStatusBlock) {
  NT_SERVICE(IoBuildSynchronousFsdRequest);
  Request* request = build(DeviceObject, Event, IoStatusBlock, Buffer);
  if (request == nullptr) return nullptr;
  PIO_STACK_LOCATION const next = IoGetNextIrpStackLocation(&request->irp);
  next->MajorFunction = static_cast<UCHAR>(MajorFunction);
  if (MajorFunction == IRP_MJ_READ || MajorFunction == IRP_MJ_WRITE) {
    next->Parameters.Write.Length = Length;
    if (StartingOffset != nullptr) next->Parameters.Write.ByteOffset = *StartingOffset;
  }
  return &request->irp;
}

PIRP IoBuildDeviceIoControlRequest(ULONG IoControlCode, PDEVICE_OBJECT DeviceObject,
                                   PVOID InputBuffer, ULONG InputBufferLength, PVOID OutputBuffer,
                                   ULONG OutputBufferLength, BOOLEAN InternalDeviceIoControl,
                                   PKEVENT Event, PIO_STATUS_BLOCK IoStatusBlock) {
  NT_SERVICE(IoBuildDeviceIoControlRequest);
  Request* request = build(DeviceObject, Event, IoStatusBlock, OutputBuffer);
  if (request == nullptr) return nullptr;
  PIO_STACK_LOCATION const next = IoGetNextIrpStackLocation(&request->irp);
  next->MajorFunction =
      InternalDeviceIoControl ? IRP_MJ_INTERNAL_DEVICE_CONTROL : IRP_MJ_DEVICE_CONTROL;
  next->Parameters.DeviceIoControl.IoControlCode = IoControlCode;
  next->Parameters.DeviceIoControl.InputBufferLength = InputBufferLength;
  next->Parameters.DeviceIoControl.OutputBufferLength = OutputBufferLength;
  next->Parameters.DeviceIoControl.Type3InputBuffer = InputBuffer;
  request->irp.AssociatedIrp.SystemBuffer = InputBuffer;
  return &request->irp;
}

NTSTATUS IofCallDriver(PDEVICE_OBJECT DeviceObject, PIRP Irp) {
  NT_SERVICE(IofCallDriver);
  if (Irp->CurrentLocation <= 1) {
    service.report(FindingKind::BadParameter, "the packet has no stack location left");
    return STATUS_INVALID_PARAMETER;
  }
  --Irp->CurrentLocation;
  PIO_STACK_LOCATION const location = --Irp->Tail.Overlay.CurrentStackLocation;
  location->DeviceObject = DeviceObject;
  PDRIVER_OBJECT const driver = DeviceObject != nullptr ? DeviceObject->DriverObject : nullptr;
  if (driver != nullptr && location->MajorFunction <= IRP_MJ_MAXIMUM_FUNCTION &&
      driver->MajorFunction[location->MajorFunction] != nullptr)
    return driver->MajorFunction[location->MajorFunction](DeviceObject, Irp);
  Irp->IoStatus = {};
  Irp->IoStatus.Status = STATUS_NOT_SUPPORTED;
  complete(Irp);
  return STATUS_NOT_SUPPORTED;
}

VOID IofCompleteRequest(PIRP Irp, CCHAR) {
  NT_SERVICE(IofCompleteRequest);
  if (Irp->CurrentLocation > Irp->StackCount) {
    service.report(FindingKind::BadParameter, "the packet is completed already");
    return;
  }
  complete(Irp);
}
