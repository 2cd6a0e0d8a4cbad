// Object references and handles.
#ifndef WDDM_DDI_NT_OBJECTS_H
#define WDDM_DDI_NT_OBJECTS_H

#include "types.h"

WDDM_EXTERN_C_BEGIN
extern POBJECT_TYPE* PsThreadType;
extern POBJECT_TYPE* PsProcessType;
extern POBJECT_TYPE* ExEventObjectType;
extern POBJECT_TYPE* IoFileObjectType;

NTSTATUS ObReferenceObjectByHandle(HANDLE Handle, ACCESS_MASK DesiredAccess,
                                   POBJECT_TYPE ObjectType, KPROCESSOR_MODE AccessMode,
                                   PVOID* Object, POBJECT_HANDLE_INFORMATION HandleInformation);
NTSTATUS ObReferenceObjectByHandleWithTag(HANDLE Handle, ACCESS_MASK DesiredAccess,
                                          POBJECT_TYPE ObjectType, KPROCESSOR_MODE AccessMode,
                                          ULONG Tag, PVOID* Object,
                                          POBJECT_HANDLE_INFORMATION HandleInformation);
NTSTATUS ObReferenceObjectByPointer(PVOID Object, ACCESS_MASK DesiredAccess,
                                    POBJECT_TYPE ObjectType, KPROCESSOR_MODE AccessMode);
LONG_PTR ObfReferenceObject(PVOID Object);
LONG_PTR ObfReferenceObjectWithTag(PVOID Object, ULONG Tag);
LONG_PTR ObfDereferenceObject(PVOID Object);
LONG_PTR ObfDereferenceObjectWithTag(PVOID Object, ULONG Tag);
VOID ObDereferenceObjectDeferDelete(PVOID Object);
#define ObReferenceObject(object) ObfReferenceObject(object)
#define ObReferenceObjectWithTag(object, tag) ObfReferenceObjectWithTag(object, tag)
#define ObDereferenceObject(object) ObfDereferenceObject(object)
#define ObDereferenceObjectWithTag(object, tag) ObfDereferenceObjectWithTag(object, tag)

NTSTATUS ZwClose(HANDLE Handle);
WDDM_EXTERN_C_END

#define ZwCurrentProcess() ((HANDLE)(LONG_PTR)-1)
#define NtCurrentProcess() ZwCurrentProcess()
#define ZwCurrentThread() ((HANDLE)(LONG_PTR)-2)

#endif
