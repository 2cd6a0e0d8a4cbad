// A driver in C, with variables of type long that mean something else on Windows.
#include <ntddk.h>

struct Pair {
  long member;
  ULONG fine;
};
static unsigned long counter;
static LONG also_fine;

__attribute__((noinline)) static int take(const long* parameter) {
  return (int)*parameter;
}

static int (*volatile chosen)(const long*) = take;

NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path) {
  volatile struct Pair pair = {ANSWER, 0};
  SIZE_T size = sizeof(pair);
  UNREFERENCED_PARAMETER(driver);
  UNREFERENCED_PARAMETER(path);
  ++counter;
  ++also_fine;
  return chosen((const long*)&pair.member) + (size == 0);
}
