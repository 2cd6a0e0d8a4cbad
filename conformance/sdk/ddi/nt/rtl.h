// Run-time library: memory, strings, bitmaps, versions.
#ifndef WDDM_DDI_NT_RTL_H
#define WDDM_DDI_NT_RTL_H

#include "types.h"

// ---- Memory ----
#define RtlCopyMemory(destination, source, length) \
  __builtin_memcpy((destination), (source), (length))
#define RtlMoveMemory(destination, source, length) \
  __builtin_memmove((destination), (source), (length))
#define RtlFillMemory(destination, length, fill) __builtin_memset((destination), (fill), (length))
#define RtlZeroMemory(destination, length) __builtin_memset((destination), 0, (length))
#define RtlSecureZeroMemory(destination, length) __builtin_memset((destination), 0, (length))
#define RtlEqualMemory(a, b, length) (!__builtin_memcmp((a), (b), (length)))
#define RtlCopyBytes RtlCopyMemory
#define RtlZeroBytes RtlZeroMemory
#define RtlCopyVolatileMemory(destination, source, length) \
  __builtin_memcpy((void*)(destination), (const void*)(source), (length))

#ifdef WDDM_DRIVER_BUILD
WDDM_EXTERN_C_BEGIN
void* memcpy(void* destination, const void* source, __SIZE_TYPE__ length);
void* memmove(void* destination, const void* source, __SIZE_TYPE__ length);
void* memset(void* destination, int value, __SIZE_TYPE__ length);
int memcmp(const void* a, const void* b, __SIZE_TYPE__ length);
__SIZE_TYPE__ strlen(const char* text);
int strcmp(const char* a, const char* b);
int strncmp(const char* a, const char* b, __SIZE_TYPE__ count);
// Wide characters are 2 bytes here and 4 in the host's C library, so these are imports of ours.
__SIZE_TYPE__ wcslen(const WCHAR* text) WDDM_IMPORT_AS(WddmWcslen);
int wcscmp(const WCHAR* a, const WCHAR* b) WDDM_IMPORT_AS(WddmWcscmp);
int wcsncmp(const WCHAR* a, const WCHAR* b, __SIZE_TYPE__ count) WDDM_IMPORT_AS(WddmWcsncmp);
int _wcsicmp(const WCHAR* a, const WCHAR* b) WDDM_IMPORT_AS(WddmWcsicmp);
WCHAR* wcsstr(const WCHAR* text, const WCHAR* part) WDDM_IMPORT_AS(WddmWcsstr);
WCHAR* wcschr(const WCHAR* text, WCHAR character) WDDM_IMPORT_AS(WddmWcschr);
WDDM_EXTERN_C_END
#else
WDDM_EXTERN_C_BEGIN
SIZE_T WddmWcslen(const WCHAR* text);
int WddmWcscmp(const WCHAR* a, const WCHAR* b);
int WddmWcsncmp(const WCHAR* a, const WCHAR* b, SIZE_T count);
int WddmWcsicmp(const WCHAR* a, const WCHAR* b);
WCHAR* WddmWcsstr(const WCHAR* text, const WCHAR* part);
WCHAR* WddmWcschr(const WCHAR* text, WCHAR character);
WDDM_EXTERN_C_END
#endif

// ---- Constant strings ----
#define RTL_CONSTANT_STRING(s) \
  { sizeof(s) - sizeof((s)[0]), sizeof(s), (s) }
#define DECLARE_CONST_UNICODE_STRING(variable, text)                           \
  static const WCHAR variable##_buffer[] = text;                               \
  const UNICODE_STRING variable = {sizeof(text) - sizeof(WCHAR), sizeof(text), \
                                   (PWCH)variable##_buffer}
#define DECLARE_UNICODE_STRING_SIZE(variable, size) \
  WCHAR variable##_buffer[size];                    \
  UNICODE_STRING variable = {0, (size) * sizeof(WCHAR), variable##_buffer}
#define UNICODE_NULL ((WCHAR)0)
#define ANSI_NULL ((CHAR)0)

// ---- Bitmaps ----
typedef struct _RTL_BITMAP {
  ULONG SizeOfBitMap;
  PULONG Buffer;
} RTL_BITMAP, *PRTL_BITMAP;
typedef struct _RTL_BITMAP_RUN {
  ULONG StartingIndex;
  ULONG NumberOfBits;
} RTL_BITMAP_RUN, *PRTL_BITMAP_RUN;

typedef struct _OSVERSIONINFOW {
  ULONG dwOSVersionInfoSize;
  ULONG dwMajorVersion;
  ULONG dwMinorVersion;
  ULONG dwBuildNumber;
  ULONG dwPlatformId;
  WCHAR szCSDVersion[128];
} OSVERSIONINFOW, RTL_OSVERSIONINFOW, *PRTL_OSVERSIONINFOW;
typedef struct _OSVERSIONINFOEXW {
  ULONG dwOSVersionInfoSize;
  ULONG dwMajorVersion;
  ULONG dwMinorVersion;
  ULONG dwBuildNumber;
  ULONG dwPlatformId;
  WCHAR szCSDVersion[128];
  USHORT wServicePackMajor;
  USHORT wServicePackMinor;
  USHORT wSuiteMask;
  UCHAR wProductType;
  UCHAR wReserved;
} OSVERSIONINFOEXW, RTL_OSVERSIONINFOEXW, *PRTL_OSVERSIONINFOEXW;

WDDM_EXTERN_C_BEGIN
SIZE_T RtlCompareMemory(const VOID* Source1, const VOID* Source2, SIZE_T Length);

VOID RtlInitUnicodeString(PUNICODE_STRING DestinationString, PCWSTR SourceString);
VOID RtlInitAnsiString(PANSI_STRING DestinationString, PCSZ SourceString);
VOID RtlInitString(PSTRING DestinationString, PCSZ SourceString);
VOID RtlCopyUnicodeString(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString);
NTSTATUS RtlAppendUnicodeToString(PUNICODE_STRING Destination, PCWSTR Source);
NTSTATUS RtlAppendUnicodeStringToString(PUNICODE_STRING Destination, PCUNICODE_STRING Source);
LONG RtlCompareUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                             BOOLEAN CaseInSensitive);
BOOLEAN RtlEqualUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                              BOOLEAN CaseInSensitive);
BOOLEAN RtlPrefixUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                               BOOLEAN CaseInSensitive);
LONG RtlCompareString(const STRING* String1, const STRING* String2, BOOLEAN CaseInSensitive);
BOOLEAN RtlEqualString(const STRING* String1, const STRING* String2, BOOLEAN CaseInSensitive);
NTSTATUS RtlAnsiStringToUnicodeString(PUNICODE_STRING DestinationString, PCANSI_STRING SourceString,
                                      BOOLEAN AllocateDestinationString);
NTSTATUS RtlUnicodeStringToAnsiString(PANSI_STRING DestinationString, PCUNICODE_STRING SourceString,
                                      BOOLEAN AllocateDestinationString);
VOID RtlFreeUnicodeString(PUNICODE_STRING UnicodeString);
VOID RtlFreeAnsiString(PANSI_STRING AnsiString);
NTSTATUS RtlIntegerToUnicodeString(ULONG Value, ULONG Base, PUNICODE_STRING String);
NTSTATUS RtlInt64ToUnicodeString(ULONGLONG Value, ULONG Base, PUNICODE_STRING String);
NTSTATUS RtlUnicodeStringToInteger(PCUNICODE_STRING String, ULONG Base, PULONG Value);
WCHAR RtlUpcaseUnicodeChar(WCHAR SourceCharacter);
WCHAR RtlDowncaseUnicodeChar(WCHAR SourceCharacter);
NTSTATUS RtlUpcaseUnicodeString(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString,
                                BOOLEAN AllocateDestinationString);
NTSTATUS RtlStringFromGUID(REFGUID Guid, PUNICODE_STRING GuidString);
NTSTATUS RtlGUIDFromString(PCUNICODE_STRING GuidString, GUID* Guid);
NTSTATUS RtlGetVersion(PRTL_OSVERSIONINFOW VersionInformation);
BOOLEAN RtlIsNtDdiVersionAvailable(ULONG Version);
ULONG RtlRandomEx(PULONG Seed);

VOID RtlInitializeBitMap(PRTL_BITMAP BitMapHeader, PULONG BitMapBuffer, ULONG SizeOfBitMap);
VOID RtlClearBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber);
VOID RtlSetBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber);
BOOLEAN RtlTestBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber);
VOID RtlClearAllBits(PRTL_BITMAP BitMapHeader);
VOID RtlSetAllBits(PRTL_BITMAP BitMapHeader);
VOID RtlClearBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToClear);
VOID RtlSetBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToSet);
ULONG RtlFindClearBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex);
ULONG RtlFindSetBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex);
ULONG RtlFindClearBitsAndSet(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex);
ULONG RtlFindSetBitsAndClear(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex);
ULONG RtlFindFirstRunClear(PRTL_BITMAP BitMapHeader, PULONG StartingIndex);
ULONG RtlFindNextForwardRunClear(PRTL_BITMAP BitMapHeader, ULONG FromIndex,
                                 PULONG StartingRunIndex);
ULONG RtlFindLongestRunClear(PRTL_BITMAP BitMapHeader, PULONG StartingIndex);
ULONG RtlNumberOfClearBits(PRTL_BITMAP BitMapHeader);
ULONG RtlNumberOfSetBits(PRTL_BITMAP BitMapHeader);
BOOLEAN RtlAreBitsClear(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length);
BOOLEAN RtlAreBitsSet(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length);
CCHAR RtlFindLeastSignificantBit(ULONGLONG Set);
CCHAR RtlFindMostSignificantBit(ULONGLONG Set);
USHORT RtlCaptureStackBackTrace(ULONG FramesToSkip, ULONG FramesToCapture, PVOID* BackTrace,
                                PULONG BackTraceHash);
WDDM_EXTERN_C_END
#define RtlCheckBit(bitmap, bit) RtlTestBit(bitmap, bit)
#define RtlUshortByteSwap(x) __builtin_bswap16(x)
#define RtlUlongByteSwap(x) __builtin_bswap32(x)
#define RtlUlonglongByteSwap(x) __builtin_bswap64(x)

#endif
