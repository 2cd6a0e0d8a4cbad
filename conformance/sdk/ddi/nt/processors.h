// IRQL, processors, threads, work items and bug checks.
#ifndef WDDM_DDI_NT_PROCESSORS_H
#define WDDM_DDI_NT_PROCESSORS_H

#include "io_types.h"
#include "types.h"

typedef enum _WORK_QUEUE_TYPE {
  CriticalWorkQueue,
  DelayedWorkQueue,
  HyperCriticalWorkQueue,
  NormalWorkQueue,
  BackgroundWorkQueue,
  RealTimeWorkQueue,
  SuperCriticalWorkQueue,
  MaximumWorkQueue,
  CustomPriorityWorkQueue = 32
} WORK_QUEUE_TYPE;

typedef VOID WORKER_THREAD_ROUTINE(PVOID Parameter);
typedef WORKER_THREAD_ROUTINE* PWORKER_THREAD_ROUTINE;
typedef struct _WORK_QUEUE_ITEM {
  LIST_ENTRY List;
  PWORKER_THREAD_ROUTINE WorkerRoutine;
  PVOID Parameter;
} WORK_QUEUE_ITEM, *PWORK_QUEUE_ITEM;
#define ExInitializeWorkItem(item, routine, context) \
  do {                                               \
    (item)->WorkerRoutine = (routine);               \
    (item)->Parameter = (context);                   \
    (item)->List.Flink = 0;                          \
  } while (0)

typedef struct _IO_WORKITEM* PIO_WORKITEM;
typedef VOID IO_WORKITEM_ROUTINE(PDEVICE_OBJECT DeviceObject, PVOID Context);
typedef IO_WORKITEM_ROUTINE* PIO_WORKITEM_ROUTINE;
typedef VOID IO_WORKITEM_ROUTINE_EX(PVOID IoObject, PVOID Context, PIO_WORKITEM IoWorkItem);
typedef IO_WORKITEM_ROUTINE_EX* PIO_WORKITEM_ROUTINE_EX;

WDDM_EXTERN_C_BEGIN
KIRQL KeGetCurrentIrql(void);
KIRQL KfRaiseIrql(KIRQL NewIrql);
KIRQL KeRaiseIrqlToDpcLevel(void);
VOID KeLowerIrql(KIRQL NewIrql);
#define KeRaiseIrql(new_irql, old_irql) (*(old_irql) = KfRaiseIrql(new_irql))

PKTHREAD KeGetCurrentThread(void);
ULONG KeGetCurrentProcessorNumber(void);
ULONG KeGetCurrentProcessorNumberEx(PPROCESSOR_NUMBER ProcNumber);
ULONG KeQueryActiveProcessorCount(PKAFFINITY ActiveProcessors);
ULONG KeQueryActiveProcessorCountEx(USHORT GroupNumber);
ULONG KeQueryMaximumProcessorCountEx(USHORT GroupNumber);
VOID KeSetSystemAffinityThread(KAFFINITY Affinity);
VOID KeRevertToUserAffinityThread(void);
KAFFINITY KeSetSystemAffinityThreadEx(KAFFINITY Affinity);
VOID KeRevertToUserAffinityThreadEx(KAFFINITY Affinity);
KPRIORITY KeSetPriorityThread(PKTHREAD Thread, KPRIORITY Priority);
KPRIORITY KeQueryPriorityThread(PKTHREAD Thread);
BOOLEAN KeInvalidateAllCaches(void);
NTSTATUS KeSaveFloatingPointState(PKFLOATING_SAVE FloatSave);
NTSTATUS KeRestoreFloatingPointState(PKFLOATING_SAVE FloatSave);
DECLSPEC_NORETURN VOID KeBugCheck(ULONG BugCheckCode);
DECLSPEC_NORETURN VOID KeBugCheckEx(ULONG BugCheckCode, ULONG_PTR BugCheckParameter1,
                                    ULONG_PTR BugCheckParameter2, ULONG_PTR BugCheckParameter3,
                                    ULONG_PTR BugCheckParameter4);

NTSTATUS PsCreateSystemThread(PHANDLE ThreadHandle, ULONG DesiredAccess,
                              POBJECT_ATTRIBUTES ObjectAttributes, HANDLE ProcessHandle,
                              PCLIENT_ID ClientId, PKSTART_ROUTINE StartRoutine,
                              PVOID StartContext);
NTSTATUS PsTerminateSystemThread(NTSTATUS ExitStatus);
BOOLEAN PsIsSystemThread(PETHREAD Thread);
HANDLE PsGetCurrentThreadId(void);
HANDLE PsGetCurrentProcessId(void);
PEPROCESS IoGetCurrentProcess(void);
HANDLE PsGetProcessId(PEPROCESS Process);
BOOLEAN PsGetVersion(PULONG MajorVersion, PULONG MinorVersion, PULONG BuildNumber,
                     PUNICODE_STRING CSDVersion);
VOID KeStackAttachProcess(PRKPROCESS Process, PRKAPC_STATE ApcState);
VOID KeUnstackDetachProcess(PRKAPC_STATE ApcState);
KPROCESSOR_MODE ExGetPreviousMode(void);
#define PsGetCurrentThread() ((PETHREAD)KeGetCurrentThread())
#define PsGetCurrentProcess() IoGetCurrentProcess()

PIO_WORKITEM IoAllocateWorkItem(PDEVICE_OBJECT DeviceObject);
VOID IoFreeWorkItem(PIO_WORKITEM IoWorkItem);
VOID IoQueueWorkItem(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE WorkerRoutine,
                     WORK_QUEUE_TYPE QueueType, PVOID Context);
VOID IoQueueWorkItemEx(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE_EX WorkerRoutine,
                       WORK_QUEUE_TYPE QueueType, PVOID Context);
VOID ExQueueWorkItem(PWORK_QUEUE_ITEM WorkItem, WORK_QUEUE_TYPE QueueType);
WDDM_EXTERN_C_END

#endif
