// Bounded string functions. All are imports: the host formats by LLP64 rules (%ld is 32 bits, %ws
// and %S take 16-bit characters), never through the C library.
//
// Cb forms count bytes, Cch forms characters; both count the terminating zero in the destination.
// Left out: the Ex forms, and UNICODE_STRING targets beyond RtlUnicodeStringPrintf and -Copy.
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
#else
#define RtlStringCbCopy RtlStringCbCopyA
#define RtlStringCbPrintf RtlStringCbPrintfA
#define RtlStringCchCopy RtlStringCchCopyA
#define RtlStringCchPrintf RtlStringCchPrintfA
#endif

#endif
