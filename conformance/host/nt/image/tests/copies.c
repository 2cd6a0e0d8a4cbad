// A driver that copies what it is given, by a call and through a pointer to the function. Its first
// argument is where from; its second where to, and how many bytes stands there.
#include <ntddk.h>

static void* (*volatile copy)(void*, const void*, __SIZE_TYPE__) = memcpy;

NTSTATUS DriverEntry(PDRIVER_OBJECT from, PUNICODE_STRING to) {
  UCHAR* target = (UCHAR*)to;
  SIZE_T bytes = target[0];
  memcpy(target, from, bytes);
  copy(target + bytes, from, bytes);
  return (NTSTATUS)strlen((const char*)target);
}
