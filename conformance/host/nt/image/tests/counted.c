// A driver with a counter where a fuzzer's run time keeps its own, between two that are its own.
#include <ntddk.h>

static ULONG before = 1;
__attribute__((section("__sancov_cntrs"), used)) static ULONG counter = 1;
static ULONG after = 1;

NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path) {
  UNREFERENCED_PARAMETER(driver);
  UNREFERENCED_PARAMETER(path);
  return (NTSTATUS)(before++ * 100 + counter++ * 10 + after++);
}
