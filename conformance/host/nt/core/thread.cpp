// Threads as drivers see them: creation, identity, priority, processors and bug checks.
//
// Left out: affinity (the scheduler decides), priorities (remembered only), processes (there is one
// application process and the system process).
#include "conformance/host/nt/core/call_check.h"
#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/fiber.h"
#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/core/threads.h"
#include "conformance/host/nt/core/windows_version.h"
#include "conformance/host/nt/memory/pool.h"

using namespace wddm::nt;

namespace {

constexpr std::uint64_t kSystemProcess = 4;
constexpr std::uint64_t kApplicationProcess = 0x400;
constexpr KAFFINITY kAllCpus = (KAFFINITY{1} << kCpus) - 1;

// What a PEPROCESS points at; drivers only pass it on.
std::uint64_t g_system_process[2] = {kSystemProcess, 0};
std::uint64_t g_application_process[2] = {kApplicationProcess, 0};

bool in_application(const Fiber& fiber) {
  return fiber.kind == FiberKind::Host;
}

HANDLE thread_id(const Fiber& fiber) {
  return handle_from((std::uint64_t{fiber.ordinal} + 2) * 4);
}

HANDLE process_id(const Fiber& fiber) {
  return handle_from(in_application(fiber) ? kApplicationProcess : kSystemProcess);
}

ULONG bad_group(const Service& service) {
  service.report(FindingKind::BadParameter, "there is only processor group 0");
  return 0;
}

[[noreturn]] void bug_check(const Service& service, ULONG code, ULONG_PTR p1, ULONG_PTR p2,
                            ULONG_PTR p3, ULONG_PTR p4) {
  const std::uint64_t parameters[4]{p1, p2, p3, p4};
  machine().observer->bug_check(code, parameters);
  static_cast<void>(service);
  __builtin_unreachable();
}

}  // namespace

void wddm::nt::threads_boot() {
  work_items_boot();
  resources_boot();
  events_boot();
  irps_boot();
  active_memory_boot();
}

NTSTATUS PsCreateSystemThread(PHANDLE ThreadHandle, ULONG, POBJECT_ATTRIBUTES, HANDLE,
                              PCLIENT_ID ClientId, PKSTART_ROUTINE StartRoutine,
                              PVOID StartContext) {
  NT_SERVICE(PsCreateSystemThread);
  if (ThreadHandle == nullptr || StartRoutine == nullptr) {
    service.report(FindingKind::BadParameter, "null handle pointer or start routine");
    return STATUS_INVALID_PARAMETER;
  }
  if (allocation_must_fail() || !stack_left()) return STATUS_INSUFFICIENT_RESOURCES;
  Fiber* thread = fiber_create(FiberKind::Driver, "driver", StartRoutine, StartContext);
  thread->innermost_call = "system thread";
  *ThreadHandle = handle_from(handle_open(thread));
  if (ClientId != nullptr) *ClientId = {process_id(*thread), thread_id(*thread)};
  yield_point();
  return STATUS_SUCCESS;
}

NTSTATUS PsTerminateSystemThread(NTSTATUS ExitStatus) {
  NT_SERVICE(PsTerminateSystemThread);
  if (running().kind != FiberKind::Driver) {
    service.report(FindingKind::BadParameter, "not a thread that the driver created");
    return STATUS_INVALID_PARAMETER;
  }
  fiber_end(ExitStatus);
}

BOOLEAN PsIsSystemThread(PETHREAD Thread) {
  NT_SERVICE(PsIsSystemThread);
  return !in_application(*fiber_of(Thread));
}

PKTHREAD KeGetCurrentThread(void) {
  NT_SERVICE(KeGetCurrentThread);
  return reinterpret_cast<PKTHREAD>(&running());
}

HANDLE PsGetCurrentThreadId(void) {
  NT_SERVICE(PsGetCurrentThreadId);
  return thread_id(running());
}

HANDLE PsGetCurrentProcessId(void) {
  NT_SERVICE(PsGetCurrentProcessId);
  return process_id(running());
}

PEPROCESS IoGetCurrentProcess(void) {
  NT_SERVICE(IoGetCurrentProcess);
  return reinterpret_cast<PEPROCESS>(in_application(running()) ? g_application_process
                                                               : g_system_process);
}

HANDLE PsGetProcessId(PEPROCESS Process) {
  NT_SERVICE(PsGetProcessId);
  return handle_from(*reinterpret_cast<const std::uint64_t*>(Process));
}

BOOLEAN PsGetVersion(PULONG MajorVersion, PULONG MinorVersion, PULONG BuildNumber,
                     PUNICODE_STRING CSDVersion) {
  NT_SERVICE(PsGetVersion);
  if (MajorVersion != nullptr) *MajorVersion = windows_version().major;
  if (MinorVersion != nullptr) *MinorVersion = windows_version().minor;
  if (BuildNumber != nullptr) *BuildNumber = windows_version().build;
  if (CSDVersion != nullptr) CSDVersion->Length = 0;
  return FALSE;  // a free build
}

VOID KeStackAttachProcess(PRKPROCESS, PRKAPC_STATE ApcState) {
  NT_SERVICE(KeStackAttachProcess);
  *ApcState = {};
}

VOID KeUnstackDetachProcess(PRKAPC_STATE) {
  NT_SERVICE(KeUnstackDetachProcess);
}

KPROCESSOR_MODE ExGetPreviousMode(void) {
  NT_SERVICE(ExGetPreviousMode);
  return in_application(running()) ? UserMode : KernelMode;
}

ULONG KeGetCurrentProcessorNumber(void) {
  NT_SERVICE(KeGetCurrentProcessorNumber);
  return current_cpu();
}

ULONG KeGetCurrentProcessorNumberEx(PPROCESSOR_NUMBER ProcNumber) {
  NT_SERVICE(KeGetCurrentProcessorNumberEx);
  if (ProcNumber != nullptr) *ProcNumber = {0, current_cpu(), 0};
  return current_cpu();
}

ULONG KeQueryActiveProcessorCount(PKAFFINITY ActiveProcessors) {
  NT_SERVICE(KeQueryActiveProcessorCount);
  if (ActiveProcessors != nullptr) *ActiveProcessors = kAllCpus;
  return kCpus;
}

ULONG KeQueryActiveProcessorCountEx(USHORT GroupNumber) {
  NT_SERVICE(KeQueryActiveProcessorCountEx);
  return GroupNumber == 0 || GroupNumber == ALL_PROCESSOR_GROUPS ? kCpus : bad_group(service);
}

ULONG KeQueryMaximumProcessorCountEx(USHORT GroupNumber) {
  NT_SERVICE(KeQueryMaximumProcessorCountEx);
  return GroupNumber == 0 || GroupNumber == ALL_PROCESSOR_GROUPS ? kCpus : bad_group(service);
}

VOID KeSetSystemAffinityThread(KAFFINITY) {
  NT_SERVICE(KeSetSystemAffinityThread);
}

VOID KeRevertToUserAffinityThread(void) {
  NT_SERVICE(KeRevertToUserAffinityThread);
}

KAFFINITY KeSetSystemAffinityThreadEx(KAFFINITY) {
  NT_SERVICE(KeSetSystemAffinityThreadEx);
  return 0;
}

VOID KeRevertToUserAffinityThreadEx(KAFFINITY) {
  NT_SERVICE(KeRevertToUserAffinityThreadEx);
}

KPRIORITY KeSetPriorityThread(PKTHREAD Thread, KPRIORITY Priority) {
  NT_SERVICE(KeSetPriorityThread);
  if (Priority < LOW_PRIORITY || Priority > HIGH_PRIORITY)
    service.report(FindingKind::BadParameter, "priority out of 0..31");
  Fiber& thread = *fiber_of(Thread);
  const KPRIORITY before = thread.priority;
  thread.priority = Priority;
  return before;
}

KPRIORITY KeQueryPriorityThread(PKTHREAD Thread) {
  NT_SERVICE(KeQueryPriorityThread);
  return fiber_of(Thread)->priority;
}

BOOLEAN KeInvalidateAllCaches(void) {
  NT_SERVICE(KeInvalidateAllCaches);
  return TRUE;
}

NTSTATUS KeSaveFloatingPointState(PKFLOATING_SAVE FloatSave) {
  NT_SERVICE(KeSaveFloatingPointState);
  *FloatSave = {};
  return STATUS_SUCCESS;
}

NTSTATUS KeRestoreFloatingPointState(PKFLOATING_SAVE) {
  NT_SERVICE(KeRestoreFloatingPointState);
  return STATUS_SUCCESS;
}

VOID KeBugCheck(ULONG BugCheckCode) {
  NT_SERVICE(KeBugCheck);
  bug_check(service, BugCheckCode, 0, 0, 0, 0);
}

VOID KeBugCheckEx(ULONG BugCheckCode, ULONG_PTR BugCheckParameter1, ULONG_PTR BugCheckParameter2,
                  ULONG_PTR BugCheckParameter3, ULONG_PTR BugCheckParameter4) {
  NT_SERVICE(KeBugCheckEx);
  bug_check(service, BugCheckCode, BugCheckParameter1, BugCheckParameter2, BugCheckParameter3,
            BugCheckParameter4);
}
