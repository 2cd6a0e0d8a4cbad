// Checked integer arithmetic and conversion. A result that does not fit is STATUS_INTEGER_OVERFLOW,
// and the output is then all ones, as on Windows.
#ifndef WDDM_DDI_NTINTSAFE_H
#define WDDM_DDI_NTINTSAFE_H

#include "wdm.h"

// One operation of one type. The last argument tells the type's error value.
#define WDDM_INTSAFE(Name, T, builtin, error)             \
  FORCEINLINE NTSTATUS Name(T Left, T Right, T* Result) { \
    T value;                                              \
    if (builtin(Left, Right, &value)) {                   \
      *Result = (T)(error);                               \
      return STATUS_INTEGER_OVERFLOW;                     \
    }                                                     \
    *Result = value;                                      \
    return STATUS_SUCCESS;                                \
  }
#define WDDM_INTSAFE_ALL(Name, T)                             \
  WDDM_INTSAFE(Rtl##Name##Add, T, __builtin_add_overflow, -1) \
  WDDM_INTSAFE(Rtl##Name##Sub, T, __builtin_sub_overflow, -1) \
  WDDM_INTSAFE(Rtl##Name##Mult, T, __builtin_mul_overflow, -1)

WDDM_INTSAFE_ALL(UChar, UCHAR)
WDDM_INTSAFE_ALL(UShort, USHORT)
WDDM_INTSAFE_ALL(UInt, UINT)
WDDM_INTSAFE_ALL(ULong, ULONG)
WDDM_INTSAFE_ALL(ULongLong, ULONGLONG)
WDDM_INTSAFE_ALL(ULongPtr, ULONG_PTR)
WDDM_INTSAFE_ALL(SIZET, SIZE_T)
WDDM_INTSAFE_ALL(DWord, DWORD)
WDDM_INTSAFE_ALL(Int, INT)
WDDM_INTSAFE_ALL(Long, LONG)
WDDM_INTSAFE_ALL(LongLong, LONGLONG)

#ifdef __cplusplus
WDDM_INTSAFE_ALL(SizeT, __SIZE_TYPE__)
extern "C++" {
inline NTSTATUS RtlSizeTAdd(SIZE_T Left, SIZE_T Right, SIZE_T* Result) {
  return RtlSIZETAdd(Left, Right, Result);
}
inline NTSTATUS RtlSizeTSub(SIZE_T Left, SIZE_T Right, SIZE_T* Result) {
  return RtlSIZETSub(Left, Right, Result);
}
inline NTSTATUS RtlSizeTMult(SIZE_T Left, SIZE_T Right, SIZE_T* Result) {
  return RtlSIZETMult(Left, Right, Result);
}
}
#else
WDDM_INTSAFE_ALL(SizeT, __SIZE_TYPE__)
#endif

// One conversion.
#define WDDM_INTSAFE_CONVERT(Name, From, To)                \
  FORCEINLINE NTSTATUS Name(From Operand, To* Result) {     \
    To value;                                               \
    if (__builtin_add_overflow(Operand, (From)0, &value)) { \
      *Result = (To)-1;                                     \
      return STATUS_INTEGER_OVERFLOW;                       \
    }                                                       \
    *Result = value;                                        \
    return STATUS_SUCCESS;                                  \
  }

WDDM_INTSAFE_CONVERT(RtlULongLongToULong, ULONGLONG, ULONG)
WDDM_INTSAFE_CONVERT(RtlULongLongToUInt, ULONGLONG, UINT)
WDDM_INTSAFE_CONVERT(RtlULongLongToUShort, ULONGLONG, USHORT)
WDDM_INTSAFE_CONVERT(RtlULongLongToUChar, ULONGLONG, UCHAR)
WDDM_INTSAFE_CONVERT(RtlULongLongToLong, ULONGLONG, LONG)
WDDM_INTSAFE_CONVERT(RtlULongLongToLongLong, ULONGLONG, LONGLONG)
WDDM_INTSAFE_CONVERT(RtlULongLongToInt, ULONGLONG, INT)
WDDM_INTSAFE_CONVERT(RtlSIZETToULong, SIZE_T, ULONG)
WDDM_INTSAFE_CONVERT(RtlSIZETToUInt, SIZE_T, UINT)
WDDM_INTSAFE_CONVERT(RtlSIZETToUShort, SIZE_T, USHORT)
WDDM_INTSAFE_CONVERT(RtlSIZETToLong, SIZE_T, LONG)
WDDM_INTSAFE_CONVERT(RtlSIZETToInt, SIZE_T, INT)
WDDM_INTSAFE_CONVERT(RtlULongToUShort, ULONG, USHORT)
WDDM_INTSAFE_CONVERT(RtlULongToUChar, ULONG, UCHAR)
WDDM_INTSAFE_CONVERT(RtlULongToLong, ULONG, LONG)
WDDM_INTSAFE_CONVERT(RtlULongToInt, ULONG, INT)
WDDM_INTSAFE_CONVERT(RtlUIntToUShort, UINT, USHORT)
WDDM_INTSAFE_CONVERT(RtlUIntToUChar, UINT, UCHAR)
WDDM_INTSAFE_CONVERT(RtlUIntToInt, UINT, INT)
WDDM_INTSAFE_CONVERT(RtlUIntToLong, UINT, LONG)
WDDM_INTSAFE_CONVERT(RtlLongToULong, LONG, ULONG)
WDDM_INTSAFE_CONVERT(RtlLongToUShort, LONG, USHORT)
WDDM_INTSAFE_CONVERT(RtlLongToUInt, LONG, UINT)
WDDM_INTSAFE_CONVERT(RtlLongLongToULong, LONGLONG, ULONG)
WDDM_INTSAFE_CONVERT(RtlLongLongToULongLong, LONGLONG, ULONGLONG)
WDDM_INTSAFE_CONVERT(RtlLongLongToLong, LONGLONG, LONG)
WDDM_INTSAFE_CONVERT(RtlLongLongToInt, LONGLONG, INT)
WDDM_INTSAFE_CONVERT(RtlLongLongToUInt, LONGLONG, UINT)
WDDM_INTSAFE_CONVERT(RtlIntToUInt, INT, UINT)
WDDM_INTSAFE_CONVERT(RtlIntToULong, INT, ULONG)
WDDM_INTSAFE_CONVERT(RtlIntToUShort, INT, USHORT)
WDDM_INTSAFE_CONVERT(RtlULongPtrToULong, ULONG_PTR, ULONG)
WDDM_INTSAFE_CONVERT(RtlULongPtrToUInt, ULONG_PTR, UINT)
WDDM_INTSAFE_CONVERT(RtlSizeTToULong, __SIZE_TYPE__, ULONG)
WDDM_INTSAFE_CONVERT(RtlSizeTToUInt, __SIZE_TYPE__, UINT)
WDDM_INTSAFE_CONVERT(RtlSizeTToUShort, __SIZE_TYPE__, USHORT)
WDDM_INTSAFE_CONVERT(RtlSizeTToLong, __SIZE_TYPE__, LONG)

#endif
