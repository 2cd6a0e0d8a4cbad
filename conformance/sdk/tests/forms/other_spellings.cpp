// Includes that Windows finds: other cases, backslashes, and both at once.
#include <Ntddk.h>

#include "INNER.H"
#include "deep\Deepest.h"
#include "sub\deep\DEEPEST.h"
#include "Sub/Inner.h"

extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT, PUNICODE_STRING) {
  return kInner + kDeepest == 3 ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}
