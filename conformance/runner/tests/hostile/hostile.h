// A hostile driver is the conforming reference driver with entry points replaced, so that it gets
// as far as the deed: a driver that does nothing right is stopped before it can do much wrong.
#pragma once

#include <ntddk.h>

#include <dispmprt.h>

/// The entry points of the conforming driver, for a deed that follows on work well done.
extern DRIVER_INITIALIZATION_DATA conforming;

/// RegistryPath of DriverEntry, while it runs.
extern PUNICODE_STRING service_key;

/// What a hostile driver defines: changes the table before DxgkInitialize gets it.
void make_hostile(DRIVER_INITIALIZATION_DATA* table);

/// A system call of Linux, which no driver should know of.
inline LONGLONG system_call(ULONGLONG number, ULONGLONG a, ULONGLONG b, ULONGLONG c) {
  LONGLONG result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c)
                   : "rcx", "r11", "memory");
  return result;
}
