// Keywords and macros of the Microsoft compiler that driver sources use.
//
// Only driver builds include it: min, max, IN, OUT and the like would break host code.
#ifndef WDDM_DDI_NT_DRIVER_KEYWORDS_H
#define WDDM_DDI_NT_DRIVER_KEYWORDS_H

// Literal zero, because drivers write `virtual void f() = NULL;`.
#undef NULL
#ifdef __cplusplus
#define NULL 0
#else
#define NULL ((void*)0)
typedef __WCHAR_TYPE__ wchar_t;
#endif
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef unsigned long long uintptr_t;
typedef long long intptr_t;
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif

#define IN
#define OUT
#define OPTIONAL
#define INOUT
#define NOTHING
#define CRITICAL
#define FAR
#define far
#define near
#define PASCAL

#ifndef __cdecl
#define __cdecl
#endif
#ifndef __stdcall
#define __stdcall
#endif
#ifndef __fastcall
#define __fastcall
#endif
#ifndef _cdecl
#define _cdecl
#endif
#ifndef _stdcall
#define _stdcall
#endif
#ifndef __int64
#define __int64 long long
#endif
#ifndef __int32
#define __int32 int
#endif
#ifndef __int16
#define __int16 short
#endif
#ifndef __int8
#define __int8 char
#endif
#ifndef __forceinline
#define __forceinline inline __attribute__((always_inline))
#endif
#ifndef __ptr64
#define __ptr64
#endif
#ifndef __unaligned
#define __unaligned
#endif
#define __w64
#define RESTRICTED_POINTER
#define UNALIGNED
#define ALIGNED(x) __attribute__((aligned(x)))

// clang understands __declspec and __pragma under -fms-extensions; gcc must be told.
#ifndef __clang__
#define __pragma(x)
#define WDDM_DECLSPEC_align(n) __attribute__((aligned(n)))
#define WDDM_DECLSPEC_novtable
#define WDDM_DECLSPEC_noreturn __attribute__((noreturn))
#define WDDM_DECLSPEC_noinline __attribute__((noinline))
#define WDDM_DECLSPEC_dllexport
#define WDDM_DECLSPEC_dllimport
#define WDDM_DECLSPEC_selectany __attribute__((weak))
#define WDDM_DECLSPEC_nothrow
#define WDDM_DECLSPEC_deprecated
#define WDDM_DECLSPEC_restrict
#define WDDM_DECLSPEC_allocator
#define WDDM_DECLSPEC_noalias
#define WDDM_DECLSPEC_uuid(x)
#define WDDM_DECLSPEC_code_seg(x)
#define WDDM_DECLSPEC_allocate(x)
#define WDDM_DECLSPEC_guard(x)
#define __declspec(x) WDDM_DECLSPEC_##x
#endif

#ifndef min
#define min(a, b) (((a) < (b)) ? (a) : (b))
#endif
#ifndef max
#define max(a, b) (((a) > (b)) ? (a) : (b))
#endif

#define _ReturnAddress() __builtin_return_address(0)
#define _AddressOfReturnAddress() __builtin_frame_address(0)
#define __noop(...) ((void)0)
#define __assume(x) ((void)0)

#endif
