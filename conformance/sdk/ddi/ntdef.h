// Base types of the NT headers with the sizes of 64-bit Windows: `long` is never used, so LLP64
// types keep 4 and 8 bytes on an LP64 host.
//
// Left out: 32-bit and ARM variants, OBJECTID, the ANSI/UNICODE `T` types.
#ifndef WDDM_DDI_NTDEF_H
#define WDDM_DDI_NTDEF_H

#include "sal.h"
#include "wddm_compiler.h"

// ---- Keywords and attributes of the Microsoft compiler ----
#ifdef WDDM_DRIVER_BUILD
#include "nt/driver_keywords.h"
#endif

#define NTAPI
#define NTSYSAPI
#define NTHALAPI
#define NTKERNELAPI
#define NTSYSCALLAPI
#define APIENTRY
#define WINAPI
#define CALLBACK
#define FASTCALL
#define FORCEINLINE static __inline__ __attribute__((unused))
#define CFORCEINLINE FORCEINLINE
#define DECLSPEC_ALIGN(x) __attribute__((aligned(x)))
#define DECLSPEC_NORETURN __attribute__((noreturn))
#define DECLSPEC_CACHEALIGN DECLSPEC_ALIGN(64)
#define DECLSPEC_IMPORT
#define DECLSPEC_SELECTANY __attribute__((weak))
#define POINTER_ALIGNMENT DECLSPEC_ALIGN(8)
#define MEMORY_ALLOCATION_ALIGNMENT 16
#define ANYSIZE_ARRAY 1
#define DUMMYUNIONNAME
#define DUMMYUNIONNAME2
#define DUMMYUNIONNAME3
#define DUMMYUNIONNAME4
#define DUMMYSTRUCTNAME
#define DUMMYSTRUCTNAME2
#define DUMMYSTRUCTNAME3
#define DUMMYSTRUCTNAME4

// ---- Integers ----
#ifdef WDDM_DRIVER_BUILD
#define VOID void
#else
typedef void VOID;
#endif
typedef char CHAR;
typedef signed char INT8;
typedef unsigned char UINT8;
typedef unsigned char UCHAR;
typedef unsigned char BYTE;
typedef unsigned char BOOLEAN;
typedef signed char SCHAR;
typedef short SHORT;
typedef short INT16;
typedef short CSHORT;
typedef unsigned short USHORT;
typedef unsigned short UINT16;
typedef unsigned short WORD;
typedef unsigned short LANGID;
typedef int INT;
typedef int INT32;
typedef int LONG;
typedef int LONG32;
typedef int BOOL;
typedef unsigned int UINT;
typedef unsigned int UINT32;
typedef unsigned int ULONG;
typedef unsigned int ULONG32;
typedef unsigned int DWORD;
typedef unsigned int DWORD32;
typedef unsigned int LCID;
typedef long long LONGLONG;
typedef long long LONG64;
typedef long long INT64;
typedef long long INT_PTR;
typedef long long LONG_PTR;
typedef long long SSIZE_T;
typedef unsigned long long ULONGLONG;
typedef unsigned long long DWORDLONG;
typedef unsigned long long DWORD64;
typedef unsigned long long ULONG64;
typedef unsigned long long UINT64;
typedef unsigned long long UINT_PTR;
typedef unsigned long long ULONG_PTR;
typedef unsigned long long DWORD_PTR;
typedef unsigned long long SIZE_T;
typedef unsigned long long KAFFINITY;
typedef float FLOAT;
typedef double DOUBLE;

#if defined(__SIZEOF_WCHAR_T__) && __SIZEOF_WCHAR_T__ == 2
#ifdef __cplusplus
typedef wchar_t WCHAR;
#else
typedef __WCHAR_TYPE__ WCHAR;
#endif
#elif defined(__cplusplus)
typedef char16_t WCHAR;
#else
typedef unsigned short WCHAR;
#endif

// ---- Pointers ----
typedef void* PVOID;
typedef void* LPVOID;
typedef const void* LPCVOID;
typedef void** PPVOID;
typedef PVOID HANDLE;
typedef HANDLE* PHANDLE;
typedef CHAR *PCHAR, *PSTR, *LPSTR, *PSZ, *PNZCH;
typedef const CHAR *PCSTR, *LPCSTR, *PCSZ, *PCCHAR, *PCNZCH;
typedef UCHAR* PUCHAR;
typedef BYTE *PBYTE, *LPBYTE;
typedef BOOLEAN* PBOOLEAN;
typedef BOOL *PBOOL, *LPBOOL;
typedef SHORT* PSHORT;
typedef USHORT* PUSHORT;
typedef WORD* PWORD;
typedef INT* PINT;
typedef UINT* PUINT;
typedef LONG* PLONG;
typedef ULONG* PULONG;
typedef DWORD *PDWORD, *LPDWORD;
typedef UINT8* PUINT8;
typedef UINT16* PUINT16;
typedef UINT32* PUINT32;
typedef UINT64* PUINT64;
typedef INT64* PINT64;
typedef LONGLONG* PLONGLONG;
typedef ULONGLONG* PULONGLONG;
typedef LONG64* PLONG64;
typedef ULONG64* PULONG64;
typedef ULONG_PTR* PULONG_PTR;
typedef LONG_PTR* PLONG_PTR;
typedef SIZE_T* PSIZE_T;
typedef WCHAR *PWCHAR, *PWSTR, *LPWSTR, *PWCH, *NTSTRSAFE_PWSTR;
typedef const WCHAR *PCWSTR, *LPCWSTR, *PCWCH, *NTSTRSAFE_PCWSTR;
typedef KAFFINITY* PKAFFINITY;

typedef int NTSTATUS;
typedef NTSTATUS* PNTSTATUS;
typedef int HRESULT;
typedef UCHAR KIRQL;
typedef KIRQL* PKIRQL;
typedef char CCHAR;
typedef short KPRIORITY_SHORT;
typedef LONG KPRIORITY;
typedef CCHAR KPROCESSOR_MODE;
typedef ULONG ACCESS_MASK;
typedef ACCESS_MASK* PACCESS_MASK;

#define TRUE 1
#define FALSE 0
#define CONST const

#define MAXUCHAR 0xffU
#define MAXUSHORT 0xffffU
#define MAXULONG 0xffffffffU
#define MAXLONG 0x7fffffff
#define MAXLONGLONG 0x7fffffffffffffffLL
#define MAXULONGLONG 0xffffffffffffffffULL
#define MAXULONG_PTR MAXULONGLONG
#define MAXSIZE_T MAXULONGLONG
#define MAXDWORD MAXULONG
#define MINLONG ((LONG)0x80000000)

// ---- Structures ----
typedef union _LARGE_INTEGER {
  __extension__ struct {
    ULONG LowPart;
    LONG HighPart;
  };
  struct {
    ULONG LowPart;
    LONG HighPart;
  } u;
  LONGLONG QuadPart;
} LARGE_INTEGER, *PLARGE_INTEGER;

typedef union _ULARGE_INTEGER {
  __extension__ struct {
    ULONG LowPart;
    ULONG HighPart;
  };
  struct {
    ULONG LowPart;
    ULONG HighPart;
  } u;
  ULONGLONG QuadPart;
} ULARGE_INTEGER, *PULARGE_INTEGER;

typedef LARGE_INTEGER PHYSICAL_ADDRESS, *PPHYSICAL_ADDRESS;

typedef struct _LUID {
  ULONG LowPart;
  LONG HighPart;
} LUID, *PLUID;

#ifndef GUID_DEFINED
#define GUID_DEFINED
typedef struct _GUID {
  ULONG Data1;
  USHORT Data2;
  USHORT Data3;
  UCHAR Data4[8];
} GUID, *PGUID, *LPGUID;
typedef const GUID* LPCGUID;
typedef const GUID* PCGUID;
#endif

typedef struct _UNICODE_STRING {
  USHORT Length;
  USHORT MaximumLength;
  PWCH Buffer;
} UNICODE_STRING, *PUNICODE_STRING;
typedef const UNICODE_STRING* PCUNICODE_STRING;

typedef struct _STRING {
  USHORT Length;
  USHORT MaximumLength;
  PCHAR Buffer;
} STRING, *PSTRING, ANSI_STRING, *PANSI_STRING, OEM_STRING, *POEM_STRING;
typedef const ANSI_STRING* PCANSI_STRING;

typedef struct _LIST_ENTRY {
  struct _LIST_ENTRY* Flink;
  struct _LIST_ENTRY* Blink;
} LIST_ENTRY, *PLIST_ENTRY;

typedef struct _SINGLE_LIST_ENTRY {
  struct _SINGLE_LIST_ENTRY* Next;
} SINGLE_LIST_ENTRY, *PSINGLE_LIST_ENTRY;

typedef struct _OBJECT_ATTRIBUTES {
  ULONG Length;
  HANDLE RootDirectory;
  PUNICODE_STRING ObjectName;
  ULONG Attributes;
  PVOID SecurityDescriptor;
  PVOID SecurityQualityOfService;
} OBJECT_ATTRIBUTES, *POBJECT_ATTRIBUTES;
typedef const OBJECT_ATTRIBUTES* PCOBJECT_ATTRIBUTES;

#define OBJ_INHERIT 0x00000002
#define OBJ_PERMANENT 0x00000010
#define OBJ_EXCLUSIVE 0x00000020
#define OBJ_CASE_INSENSITIVE 0x00000040
#define OBJ_OPENIF 0x00000080
#define OBJ_OPENLINK 0x00000100
#define OBJ_KERNEL_HANDLE 0x00000200
#define OBJ_FORCE_ACCESS_CHECK 0x00000400

#define InitializeObjectAttributes(attributes, name, flags, root, security) \
  do {                                                                      \
    (attributes)->Length = sizeof(OBJECT_ATTRIBUTES);                       \
    (attributes)->RootDirectory = (root);                                   \
    (attributes)->Attributes = (flags);                                     \
    (attributes)->ObjectName = (name);                                      \
    (attributes)->SecurityDescriptor = (security);                          \
    (attributes)->SecurityQualityOfService = 0;                             \
  } while (0)

typedef enum _EVENT_TYPE { NotificationEvent, SynchronizationEvent } EVENT_TYPE;
typedef enum _TIMER_TYPE { NotificationTimer, SynchronizationTimer } TIMER_TYPE;
typedef enum _WAIT_TYPE { WaitAll, WaitAny, WaitNotification, WaitDequeue, WaitDpc } WAIT_TYPE;

// ---- Helpers over types ----
#define NT_SUCCESS(status) (((NTSTATUS)(status)) >= 0)
#define NT_INFORMATION(status) ((((ULONG)(status)) >> 30) == 1)
#define NT_WARNING(status) ((((ULONG)(status)) >> 30) == 2)
#define NT_ERROR(status) ((((ULONG)(status)) >> 30) == 3)
#define SUCCEEDED(hr) (((HRESULT)(hr)) >= 0)
#define FAILED(hr) (((HRESULT)(hr)) < 0)

#define FIELD_OFFSET(type, field) ((LONG) __builtin_offsetof(type, field))
#define UFIELD_OFFSET(type, field) ((ULONG) __builtin_offsetof(type, field))
#define RTL_FIELD_SIZE(type, field) (sizeof(((type*)0)->field))
#define RTL_SIZEOF_THROUGH_FIELD(type, field) \
  (FIELD_OFFSET(type, field) + RTL_FIELD_SIZE(type, field))
#define RTL_CONTAINS_FIELD(object, size, field) \
  (((PCHAR)(&(object)->field)) + sizeof((object)->field) <= ((PCHAR)(object)) + (size))
#define RTL_NUMBER_OF(array) (sizeof(array) / sizeof((array)[0]))
#ifndef ARRAYSIZE
#define ARRAYSIZE(array) RTL_NUMBER_OF(array)
#endif
#define CONTAINING_RECORD(address, type, field) \
  ((type*)((PCHAR)(address) - (ULONG_PTR) __builtin_offsetof(type, field)))
#define UNREFERENCED_PARAMETER(x) ((void)(x))
#define DBG_UNREFERENCED_PARAMETER(x) ((void)(x))
#define DBG_UNREFERENCED_LOCAL_VARIABLE(x) ((void)(x))
#define ARGUMENT_PRESENT(x) ((x) != 0)
#define C_ASSERT(e) typedef char wddm_c_assert_[(e) ? 1 : -1] __attribute__((unused))

#define LOWORD(x) ((USHORT)((ULONG_PTR)(x)&0xffff))
#define HIWORD(x) ((USHORT)(((ULONG_PTR)(x) >> 16) & 0xffff))
#define LOBYTE(x) ((UCHAR)((ULONG_PTR)(x)&0xff))
#define HIBYTE(x) ((UCHAR)(((ULONG_PTR)(x) >> 8) & 0xff))
#define MAKELONG(a, b) ((LONG)(((USHORT)(a)) | ((ULONG)((USHORT)(b))) << 16))
#define FlagOn(flags, bit) ((flags) & (bit))
#define BooleanFlagOn(flags, bit) ((BOOLEAN)(((flags) & (bit)) != 0))
#define SetFlag(flags, bit) ((flags) |= (bit))
#define ClearFlag(flags, bit) ((flags) &= ~(bit))

#define Int32x32To64(a, b) ((LONGLONG)(LONG)(a) * (LONGLONG)(LONG)(b))
#define UInt32x32To64(a, b) ((ULONGLONG)(ULONG)(a) * (ULONGLONG)(ULONG)(b))
#define PtrToUlong(p) ((ULONG)(ULONG_PTR)(p))
#define PtrToLong(p) ((LONG)(LONG_PTR)(p))
#define PtrToUint(p) ((UINT)(UINT_PTR)(p))
#define HandleToUlong(h) ((ULONG)(ULONG_PTR)(h))
#define HandleToULong(h) ((ULONG)(ULONG_PTR)(h))
#define ULongToPtr(u) ((PVOID)(ULONG_PTR)(ULONG)(u))
#define UlongToPtr(u) ((PVOID)(ULONG_PTR)(ULONG)(u))
#define UlongToHandle(u) ((HANDLE)(ULONG_PTR)(ULONG)(u))
#define ULongToHandle(u) ((HANDLE)(ULONG_PTR)(ULONG)(u))

// Flag enums combine with the bit operators in C++.
#ifdef __cplusplus
#define DEFINE_ENUM_FLAG_OPERATORS(E)      \
  extern "C++" {                           \
  inline constexpr E operator|(E a, E b) { \
    return (E)((unsigned)a | (unsigned)b); \
  }                                        \
  inline constexpr E operator&(E a, E b) { \
    return (E)((unsigned)a & (unsigned)b); \
  }                                        \
  inline constexpr E operator^(E a, E b) { \
    return (E)((unsigned)a ^ (unsigned)b); \
  }                                        \
  inline constexpr E operator~(E a) {      \
    return (E)(~(unsigned)a);              \
  }                                        \
  inline E& operator|=(E& a, E b) {        \
    return a = a | b;                      \
  }                                        \
  inline E& operator&=(E& a, E b) {        \
    return a = a & b;                      \
  }                                        \
  inline E& operator^=(E& a, E b) {        \
    return a = a ^ b;                      \
  }                                        \
  }
#else
#define DEFINE_ENUM_FLAG_OPERATORS(E)
#endif

#ifdef __cplusplus
#define EXTERN_C extern "C"
#else
#define EXTERN_C extern
#endif
#define EXTERN_C_START WDDM_EXTERN_C_BEGIN
#define EXTERN_C_END WDDM_EXTERN_C_END

#include "guiddef.h"

#endif
