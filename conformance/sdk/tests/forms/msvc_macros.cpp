// What the Microsoft compiler predefines, beside headers of the WDK.
#include <ntddk.h>
#include <ntstrsafe.h>
#include <dispmprt.h>

#if !defined(_WIN32) || !defined(_WIN64) || !defined(_M_X64) || !defined(_M_AMD64) || \
    !defined(AMD64) || !defined(_AMD64_) || _MSC_VER != 1916
#error "not as the Microsoft compiler has it"
#endif

extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT, PUNICODE_STRING) { return STATUS_SUCCESS; }
