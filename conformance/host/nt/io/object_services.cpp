// Handles, references and named events.
//
// Left out: access rights, tags (accepted, not told apart), object names other than events'.
#include <cstring>

#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/machine.h"
#include "conformance/host/nt/core/slab.h"
#include "conformance/host/nt/core/threads.h"
#include "conformance/host/nt/io/kernel_objects.h"
#include "conformance/host/nt/memory/pool.h"

// What PsThreadType and its like point at.
struct _OBJECT_TYPE {
  const wddm::nt::ObjectType* type;
};

using namespace wddm::nt;

namespace {

constexpr std::uint32_t kNameBytes = 256;

struct NamedEvent {
  DispatcherHeader header;
  Link all;
  std::uint16_t name_bytes;
  unsigned char name[kNameBytes];
};

Slab<NamedEvent> g_event_slab;
Link g_events;

void event_destroy(void* body) {
  auto* event = static_cast<NamedEvent*>(body);
  list_remove(event->all);
  g_event_slab.give(event);
}

const ObjectType kEventType{"event", event_destroy};
const ObjectType kFileType{"file", nullptr};
const ObjectType kDeviceType{"device", nullptr};
const ObjectType kDriverType{"driver", nullptr};
const ObjectType kProcessType{"process", nullptr};

_OBJECT_TYPE g_thread_type{&kThreadType};
_OBJECT_TYPE g_event_type{&kEventType};
_OBJECT_TYPE g_file_type{&kFileType};
_OBJECT_TYPE g_process_type{&kProcessType};
POBJECT_TYPE g_thread_pointer = &g_thread_type;
POBJECT_TYPE g_event_pointer = &g_event_type;
POBJECT_TYPE g_file_pointer = &g_file_type;
POBJECT_TYPE g_process_pointer = &g_process_type;

void* body_of(HANDLE handle) {
  if (handle == ZwCurrentThread()) return &running();
  return handle_body(number_of(handle), nullptr);
}

NTSTATUS reference_handle(const Service& service, HANDLE handle, POBJECT_TYPE type, PVOID* object,
                          POBJECT_HANDLE_INFORMATION information) {
  *object = nullptr;
  void* body = body_of(handle);
  if (body == nullptr) {
    service.report(FindingKind::BadHandle, "not an open handle");
    return STATUS_INVALID_HANDLE;
  }
  if (type != nullptr && object_type(body) != type->type) return STATUS_OBJECT_TYPE_MISMATCH;
  if (information != nullptr) *information = {};
  static_cast<void>(object_reference(body));
  *object = body;
  return STATUS_SUCCESS;
}

LONG_PTR reference(const Service& service, void* object) {
  if (!object_reference(object)) service.report(FindingKind::BadParameter, "not an object");
  return static_cast<LONG_PTR>(object_references(object));
}

LONG_PTR dereference(const Service& service, void* object) {
  if (object_type(object) == nullptr)
    service.report(FindingKind::BadParameter, "not an object");
  else if (!object_dereference(object))
    service.report(FindingKind::ReferenceUnderflow, "no reference is left to give back");
  yield_point();
  return static_cast<LONG_PTR>(object_references(object));
}

NamedEvent* find_event(PUNICODE_STRING name) {
  if (name == nullptr || name->Length == 0) return nullptr;
  for (Link* at = g_events.next; at != &g_events; at = at->next) {
    auto* event = WDDM_CONTAINER(NamedEvent, all, at);
    if (event->name_bytes == name->Length &&
        std::memcmp(event->name, name->Buffer, name->Length) == 0)
      return event;
  }
  return nullptr;
}

NamedEvent* make_event(PUNICODE_STRING name, ObjectKind kind) {
  NamedEvent* event = g_event_slab.take();
  header_init(event->header, kind, sizeof(KEVENT), 1);
  list_push_back(g_events, event->all);
  if (name != nullptr && name->Length != 0) {
    event->name_bytes = name->Length;
    std::memcpy(event->name, name->Buffer, name->Length);
  }
  object_create(kEventType, event, false);
  return event;
}

// Opens or creates the event; the handle is its only reference.
PKEVENT open_event(const Service& service, PUNICODE_STRING name, PHANDLE handle, ObjectKind kind) {
  if (name != nullptr && name->Length > kNameBytes) {
    service.report(FindingKind::BadParameter, "event name longer than 128 characters");
    return nullptr;
  }
  if (allocation_must_fail()) return nullptr;
  NamedEvent* event = find_event(name);
  const bool found = event != nullptr;
  if (!found) event = make_event(name, kind);
  *handle = handle_from(handle_open(event));
  if (!found) static_cast<void>(object_dereference(event));
  return reinterpret_cast<PKEVENT>(&event->header);
}

}  // namespace

void wddm::nt::events_boot() {
  g_event_slab.forget();
  list_init(g_events);
}

void wddm::nt::add_host_object(HostObject type, void* body) {
  object_create(type == HostObject::Device   ? kDeviceType
                : type == HostObject::Driver ? kDriverType
                                             : kFileType,
                body, true);
}

POBJECT_TYPE* PsThreadType = &g_thread_pointer;
POBJECT_TYPE* PsProcessType = &g_process_pointer;
POBJECT_TYPE* ExEventObjectType = &g_event_pointer;
POBJECT_TYPE* IoFileObjectType = &g_file_pointer;

NTSTATUS ObReferenceObjectByHandle(HANDLE Handle, ACCESS_MASK, POBJECT_TYPE ObjectType,
                                   KPROCESSOR_MODE, PVOID* Object,
                                   POBJECT_HANDLE_INFORMATION HandleInformation) {
  NT_SERVICE(ObReferenceObjectByHandle);
  return reference_handle(service, Handle, ObjectType, Object, HandleInformation);
}

NTSTATUS ObReferenceObjectByHandleWithTag(HANDLE Handle, ACCESS_MASK, POBJECT_TYPE ObjectType,
                                          KPROCESSOR_MODE, ULONG, PVOID* Object,
                                          POBJECT_HANDLE_INFORMATION HandleInformation) {
  NT_SERVICE(ObReferenceObjectByHandleWithTag);
  return reference_handle(service, Handle, ObjectType, Object, HandleInformation);
}

NTSTATUS ObReferenceObjectByPointer(PVOID Object, ACCESS_MASK, POBJECT_TYPE ObjectType,
                                    KPROCESSOR_MODE) {
  NT_SERVICE(ObReferenceObjectByPointer);
  if (ObjectType != nullptr && object_type(Object) != ObjectType->type)
    return STATUS_OBJECT_TYPE_MISMATCH;
  static_cast<void>(reference(service, Object));
  return STATUS_SUCCESS;
}

LONG_PTR ObfReferenceObject(PVOID Object) {
  NT_SERVICE(ObfReferenceObject);
  return reference(service, Object);
}

LONG_PTR ObfReferenceObjectWithTag(PVOID Object, ULONG) {
  NT_SERVICE(ObfReferenceObjectWithTag);
  return reference(service, Object);
}

LONG_PTR ObfDereferenceObject(PVOID Object) {
  NT_SERVICE(ObfDereferenceObject);
  return dereference(service, Object);
}

LONG_PTR ObfDereferenceObjectWithTag(PVOID Object, ULONG) {
  NT_SERVICE(ObfDereferenceObjectWithTag);
  return dereference(service, Object);
}

VOID ObDereferenceObjectDeferDelete(PVOID Object) {
  NT_SERVICE(ObDereferenceObjectDeferDelete);
  static_cast<void>(dereference(service, Object));
}

NTSTATUS ZwClose(HANDLE Handle) {
  NT_SERVICE(ZwClose);
  if (!handle_close(number_of(Handle))) {
    service.report(FindingKind::BadHandle, "not an open handle");
    return STATUS_INVALID_HANDLE;
  }
  return STATUS_SUCCESS;
}

PKEVENT IoCreateNotificationEvent(PUNICODE_STRING EventName, PHANDLE EventHandle) {
  NT_SERVICE(IoCreateNotificationEvent);
  return open_event(service, EventName, EventHandle, ObjectKind::NotificationEvent);
}

PKEVENT IoCreateSynchronizationEvent(PUNICODE_STRING EventName, PHANDLE EventHandle) {
  NT_SERVICE(IoCreateSynchronizationEvent);
  return open_event(service, EventName, EventHandle, ObjectKind::SynchronizationEvent);
}

NTSTATUS ZwSetEvent(HANDLE EventHandle, PLONG PreviousState) {
  NT_SERVICE(ZwSetEvent);
  void* body = handle_body(number_of(EventHandle), &kEventType);
  if (body == nullptr) {
    service.report(FindingKind::BadHandle, "not an open handle of an event");
    return STATUS_INVALID_HANDLE;
  }
  const LONG before = event_set(header_of(body));
  if (PreviousState != nullptr) *PreviousState = before;
  yield_point();
  return STATUS_SUCCESS;
}

NTSTATUS ZwWaitForSingleObject(HANDLE Handle, BOOLEAN, PLARGE_INTEGER Timeout) {
  NT_SERVICE(ZwWaitForSingleObject);
  void* body = body_of(Handle);
  const ObjectType* type = body != nullptr ? object_type(body) : nullptr;
  if (type != &kEventType && type != &kThreadType) {
    service.report(FindingKind::BadHandle,
                   "not an open handle of an object that can be waited for");
    return STATUS_INVALID_HANDLE;
  }
  DispatcherHeader* const object = &header_of(body);
  return wait_for({.objects = {&object, 1},
                   .all = false,
                   .due = Timeout == nullptr ? kForever : due_time(Timeout->QuadPart),
                   .service = service.name(),
                   .caller = service.caller()});
}
