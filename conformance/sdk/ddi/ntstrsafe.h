// Bounded string functions. All are imports: the host formats by LLP64 rules (%ld is 32 bits, %ws
// and %S take 16-bit characters), never through the C library.
//
// Cb forms count bytes, Cch forms characters; both count the terminating zero in the destination.
// Left out: the Ex form of Length, and UNICODE_STRING targets beyond RtlUnicodeStringPrintf and
// -Copy.
#ifndef WDDM_DDI_NTSTRSAFE_H
#define WDDM_DDI_NTSTRSAFE_H

#include "wdm.h"

#define NTSTRSAFE_MAX_CCH 2147483647
#define NTSTRSAFE_UNICODE_STRING_MAX_CCH 32767

WDDM_EXTERN_C_BEGIN
NTSTATUS RtlStringCbCopyA(PSTR pszDest, SIZE_T cbDest, PCSTR pszSrc);
NTSTATUS RtlStringCbCopyNA(PSTR pszDest, SIZE_T cbDest, PCSTR pszSrc, SIZE_T cbToCopy);
NTSTATUS RtlStringCbCatA(PSTR pszDest, SIZE_T cbDest, PCSTR pszSrc);
NTSTATUS RtlStringCbCatNA(PSTR pszDest, SIZE_T cbDest, PCSTR pszSrc, SIZE_T cbToAppend);
NTSTATUS RtlStringCbPrintfA(PSTR pszDest, SIZE_T cbDest, PCSTR pszFormat, ...);
NTSTATUS RtlStringCbVPrintfA(PSTR pszDest, SIZE_T cbDest, PCSTR pszFormat,
                             __builtin_va_list argList);
NTSTATUS RtlStringCbLengthA(PCSTR psz, SIZE_T cbMax, __SIZE_TYPE__* pcbLength);
NTSTATUS RtlStringCbCopyW(PWSTR pszDest, SIZE_T cbDest, PCWSTR pszSrc);
NTSTATUS RtlStringCbCopyNW(PWSTR pszDest, SIZE_T cbDest, PCWSTR pszSrc, SIZE_T cbToCopy);
NTSTATUS RtlStringCbCatW(PWSTR pszDest, SIZE_T cbDest, PCWSTR pszSrc);
NTSTATUS RtlStringCbCatNW(PWSTR pszDest, SIZE_T cbDest, PCWSTR pszSrc, SIZE_T cbToAppend);
NTSTATUS RtlStringCbPrintfW(PWSTR pszDest, SIZE_T cbDest, PCWSTR pszFormat, ...);
NTSTATUS RtlStringCbVPrintfW(PWSTR pszDest, SIZE_T cbDest, PCWSTR pszFormat,
                             __builtin_va_list argList);
NTSTATUS RtlStringCbLengthW(PCWSTR psz, SIZE_T cbMax, __SIZE_TYPE__* pcbLength);
NTSTATUS RtlStringCchCopyA(PSTR pszDest, SIZE_T cchDest, PCSTR pszSrc);
NTSTATUS RtlStringCchCopyNA(PSTR pszDest, SIZE_T cchDest, PCSTR pszSrc, SIZE_T cchToCopy);
NTSTATUS RtlStringCchCatA(PSTR pszDest, SIZE_T cchDest, PCSTR pszSrc);
NTSTATUS RtlStringCchCatNA(PSTR pszDest, SIZE_T cchDest, PCSTR pszSrc, SIZE_T cchToAppend);
NTSTATUS RtlStringCchPrintfA(PSTR pszDest, SIZE_T cchDest, PCSTR pszFormat, ...);
NTSTATUS RtlStringCchVPrintfA(PSTR pszDest, SIZE_T cchDest, PCSTR pszFormat,
                              __builtin_va_list argList);
NTSTATUS RtlStringCchLengthA(PCSTR psz, SIZE_T cchMax, __SIZE_TYPE__* pcchLength);
NTSTATUS RtlStringCchCopyW(PWSTR pszDest, SIZE_T cchDest, PCWSTR pszSrc);
NTSTATUS RtlStringCchCopyNW(PWSTR pszDest, SIZE_T cchDest, PCWSTR pszSrc, SIZE_T cchToCopy);
NTSTATUS RtlStringCchCatW(PWSTR pszDest, SIZE_T cchDest, PCWSTR pszSrc);
NTSTATUS RtlStringCchCatNW(PWSTR pszDest, SIZE_T cchDest, PCWSTR pszSrc, SIZE_T cchToAppend);
NTSTATUS RtlStringCchPrintfW(PWSTR pszDest, SIZE_T cchDest, PCWSTR pszFormat, ...);
NTSTATUS RtlStringCchVPrintfW(PWSTR pszDest, SIZE_T cchDest, PCWSTR pszFormat,
                              __builtin_va_list argList);
NTSTATUS RtlStringCchLengthW(PCWSTR psz, SIZE_T cchMax, __SIZE_TYPE__* pcchLength);
NTSTATUS RtlUnicodeStringPrintf(PUNICODE_STRING DestinationString, PCWSTR pszFormat, ...);
NTSTATUS RtlUnicodeStringCopy(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString);
NTSTATUS RtlUnicodeStringCopyString(PUNICODE_STRING DestinationString, PCWSTR pszSrc);
NTSTATUS RtlUnicodeStringCatString(PUNICODE_STRING DestinationString, PCWSTR pszSrc);

#define STRSAFE_IGNORE_NULLS 0x00000100
#define STRSAFE_FILL_BEHIND_NULL 0x00000200
#define STRSAFE_FILL_ON_FAILURE 0x00000400
#define STRSAFE_NULL_ON_FAILURE 0x00000800
#define STRSAFE_NO_TRUNCATION 0x00001000
#define STRSAFE_FILL_BYTE(x) ((ULONG)((x & 0x000000FF) | STRSAFE_FILL_BEHIND_NULL))
#define STRSAFE_FAILURE_BYTE(x) ((ULONG)((x & 0x000000FF) | STRSAFE_FILL_ON_FAILURE))

// The Ex forms also tell where the text ends and what room is left behind it, in bytes or characters
// and with the terminating zero: a size_t or a SIZE_T, which here are two types of 8 bytes.
#define WDDM_STRSAFE_EX(Kind, Width, Char)                                                         \
  NTSTATUS RtlString##Kind##CopyEx##Width(Char* pszDest, SIZE_T size, const Char* pszSrc,          \
                                          Char** ppszDestEnd, void* pRemaining, ULONG dwFlags);    \
  NTSTATUS RtlString##Kind##CopyNEx##Width(Char* pszDest, SIZE_T size, const Char* pszSrc,         \
                                           SIZE_T toCopy, Char** ppszDestEnd, void* pRemaining,    \
                                           ULONG dwFlags);                                         \
  NTSTATUS RtlString##Kind##CatEx##Width(Char* pszDest, SIZE_T size, const Char* pszSrc,           \
                                         Char** ppszDestEnd, void* pRemaining, ULONG dwFlags);     \
  NTSTATUS RtlString##Kind##CatNEx##Width(Char* pszDest, SIZE_T size, const Char* pszSrc,          \
                                          SIZE_T toAppend, Char** ppszDestEnd, void* pRemaining,   \
                                          ULONG dwFlags);                                          \
  NTSTATUS RtlString##Kind##PrintfEx##Width(Char* pszDest, SIZE_T size, Char** ppszDestEnd,        \
                                            void* pRemaining, ULONG dwFlags,                       \
                                            const Char* pszFormat, ...);                           \
  NTSTATUS RtlString##Kind##VPrintfEx##Width(Char* pszDest, SIZE_T size, Char** ppszDestEnd,       \
                                             void* pRemaining, ULONG dwFlags,                      \
                                             const Char* pszFormat, __builtin_va_list argList);
WDDM_STRSAFE_EX(Cb, A, CHAR)
WDDM_STRSAFE_EX(Cch, A, CHAR)
WDDM_STRSAFE_EX(Cb, W, WCHAR)
WDDM_STRSAFE_EX(Cch, W, WCHAR)
#undef WDDM_STRSAFE_EX
WDDM_EXTERN_C_END

// On Windows size_t and SIZE_T are one type; here drivers may have spelled either.
#ifdef __cplusplus
extern "C++" {
inline NTSTATUS RtlStringCbLengthA(PCSTR psz, SIZE_T cbMax, SIZE_T* pcbLength) {
  __SIZE_TYPE__ length = 0;
  NTSTATUS status = RtlStringCbLengthA(psz, cbMax, pcbLength ? &length : nullptr);
  if (pcbLength) *pcbLength = length;
  return status;
}
inline NTSTATUS RtlStringCbLengthW(PCWSTR psz, SIZE_T cbMax, SIZE_T* pcbLength) {
  __SIZE_TYPE__ length = 0;
  NTSTATUS status = RtlStringCbLengthW(psz, cbMax, pcbLength ? &length : nullptr);
  if (pcbLength) *pcbLength = length;
  return status;
}
inline NTSTATUS RtlStringCchLengthA(PCSTR psz, SIZE_T cchMax, SIZE_T* pcchLength) {
  __SIZE_TYPE__ length = 0;
  NTSTATUS status = RtlStringCchLengthA(psz, cchMax, pcchLength ? &length : nullptr);
  if (pcchLength) *pcchLength = length;
  return status;
}
inline NTSTATUS RtlStringCchLengthW(PCWSTR psz, SIZE_T cchMax, SIZE_T* pcchLength) {
  __SIZE_TYPE__ length = 0;
  NTSTATUS status = RtlStringCchLengthW(psz, cchMax, pcchLength ? &length : nullptr);
  if (pcchLength) *pcchLength = length;
  return status;
}
}
#endif

#ifdef UNICODE
#define RtlStringCbCopy RtlStringCbCopyW
#define RtlStringCbPrintf RtlStringCbPrintfW
#define RtlStringCchCopy RtlStringCchCopyW
#define RtlStringCchPrintf RtlStringCchPrintfW
#define RtlStringCbPrintfEx RtlStringCbPrintfExW
#define RtlStringCchPrintfEx RtlStringCchPrintfExW
#else
#define RtlStringCbCopy RtlStringCbCopyA
#define RtlStringCbPrintf RtlStringCbPrintfA
#define RtlStringCchCopy RtlStringCchCopyA
#define RtlStringCchPrintf RtlStringCchPrintfA
#define RtlStringCbPrintfEx RtlStringCbPrintfExA
#define RtlStringCchPrintfEx RtlStringCchPrintfExA
#endif

#endif
