// A driver with WPP tracing, and a __try that must survive optimisation.
#include <ntddk.h>

#include "Trace.h"
#include "traced.tmh"

extern "C" NTSTATUS DriverEntry(DRIVER_OBJECT*, UNICODE_STRING*) {
  TestTrace(TRACE_LEVEL_ERROR, "entered with %d", 1);
  int reached = 1;
  __try {
    reached = 2;
    ExRaiseStatus(STATUS_ACCESS_VIOLATION);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    return reached == 2 ? GetExceptionCode() : 0;
  }
  return 0;
}
