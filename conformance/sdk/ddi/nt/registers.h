// Device registers and I/O ports. Imports: the host routes each access to the device.
#ifndef WDDM_DDI_NT_REGISTERS_H
#define WDDM_DDI_NT_REGISTERS_H

#include "../ntdef.h"

WDDM_EXTERN_C_BEGIN
UCHAR READ_REGISTER_UCHAR(volatile UCHAR* Register);
VOID WRITE_REGISTER_UCHAR(volatile UCHAR* Register, UCHAR Value);
VOID READ_REGISTER_BUFFER_UCHAR(volatile UCHAR* Register, PUCHAR Buffer, ULONG Count);
VOID WRITE_REGISTER_BUFFER_UCHAR(volatile UCHAR* Register, PUCHAR Buffer, ULONG Count);
USHORT READ_REGISTER_USHORT(volatile USHORT* Register);
VOID WRITE_REGISTER_USHORT(volatile USHORT* Register, USHORT Value);
VOID READ_REGISTER_BUFFER_USHORT(volatile USHORT* Register, PUSHORT Buffer, ULONG Count);
VOID WRITE_REGISTER_BUFFER_USHORT(volatile USHORT* Register, PUSHORT Buffer, ULONG Count);
ULONG READ_REGISTER_ULONG(volatile ULONG* Register);
VOID WRITE_REGISTER_ULONG(volatile ULONG* Register, ULONG Value);
VOID READ_REGISTER_BUFFER_ULONG(volatile ULONG* Register, PULONG Buffer, ULONG Count);
VOID WRITE_REGISTER_BUFFER_ULONG(volatile ULONG* Register, PULONG Buffer, ULONG Count);
ULONG64 READ_REGISTER_ULONG64(volatile ULONG64* Register);
VOID WRITE_REGISTER_ULONG64(volatile ULONG64* Register, ULONG64 Value);
VOID READ_REGISTER_BUFFER_ULONG64(volatile ULONG64* Register, PULONG64 Buffer, ULONG Count);
VOID WRITE_REGISTER_BUFFER_ULONG64(volatile ULONG64* Register, PULONG64 Buffer, ULONG Count);
UCHAR READ_PORT_UCHAR(UCHAR* Port);
VOID WRITE_PORT_UCHAR(UCHAR* Port, UCHAR Value);
VOID READ_PORT_BUFFER_UCHAR(UCHAR* Port, PUCHAR Buffer, ULONG Count);
VOID WRITE_PORT_BUFFER_UCHAR(UCHAR* Port, PUCHAR Buffer, ULONG Count);
USHORT READ_PORT_USHORT(USHORT* Port);
VOID WRITE_PORT_USHORT(USHORT* Port, USHORT Value);
VOID READ_PORT_BUFFER_USHORT(USHORT* Port, PUSHORT Buffer, ULONG Count);
VOID WRITE_PORT_BUFFER_USHORT(USHORT* Port, PUSHORT Buffer, ULONG Count);
ULONG READ_PORT_ULONG(ULONG* Port);
VOID WRITE_PORT_ULONG(ULONG* Port, ULONG Value);
VOID READ_PORT_BUFFER_ULONG(ULONG* Port, PULONG Buffer, ULONG Count);
VOID WRITE_PORT_BUFFER_ULONG(ULONG* Port, PULONG Buffer, ULONG Count);
WDDM_EXTERN_C_END

// x64 makes no difference between fenced and unfenced accesses.
#ifdef __cplusplus
// Drivers that were written for older kits define some of them: beside a template that is a
// function of its own, and under a macro it would be one that calls itself.
extern "C++" {
#define WDDM_NOFENCE(TYPE)                                                              \
  template <class Register>                                                             \
  inline TYPE READ_REGISTER_NOFENCE_##TYPE(Register* at) {                              \
    return READ_REGISTER_##TYPE(at);                                                    \
  }                                                                                     \
  template <class Register, class Value>                                                \
  inline void WRITE_REGISTER_NOFENCE_##TYPE(Register* at, Value value) {                \
    WRITE_REGISTER_##TYPE(at, static_cast<TYPE>(value));                                \
  }                                                                                     \
  template <class Register>                                                             \
  inline void READ_REGISTER_NOFENCE_BUFFER_##TYPE(Register* at, TYPE* to, ULONG n) {    \
    READ_REGISTER_BUFFER_##TYPE(at, to, n);                                             \
  }                                                                                     \
  template <class Register>                                                             \
  inline void WRITE_REGISTER_NOFENCE_BUFFER_##TYPE(Register* at, TYPE* from, ULONG n) { \
    WRITE_REGISTER_BUFFER_##TYPE(at, from, n);                                          \
  }
WDDM_NOFENCE(UCHAR)
WDDM_NOFENCE(USHORT)
WDDM_NOFENCE(ULONG)
WDDM_NOFENCE(ULONG64)
#undef WDDM_NOFENCE
}
#else
#define READ_REGISTER_NOFENCE_UCHAR READ_REGISTER_UCHAR
#define WRITE_REGISTER_NOFENCE_UCHAR WRITE_REGISTER_UCHAR
#define READ_REGISTER_NOFENCE_USHORT READ_REGISTER_USHORT
#define WRITE_REGISTER_NOFENCE_USHORT WRITE_REGISTER_USHORT
#define READ_REGISTER_NOFENCE_ULONG READ_REGISTER_ULONG
#define WRITE_REGISTER_NOFENCE_ULONG WRITE_REGISTER_ULONG
#define READ_REGISTER_NOFENCE_ULONG64 READ_REGISTER_ULONG64
#define WRITE_REGISTER_NOFENCE_ULONG64 WRITE_REGISTER_ULONG64
#define READ_REGISTER_NOFENCE_BUFFER_UCHAR READ_REGISTER_BUFFER_UCHAR
#define WRITE_REGISTER_NOFENCE_BUFFER_UCHAR WRITE_REGISTER_BUFFER_UCHAR
#define READ_REGISTER_NOFENCE_BUFFER_USHORT READ_REGISTER_BUFFER_USHORT
#define WRITE_REGISTER_NOFENCE_BUFFER_USHORT WRITE_REGISTER_BUFFER_USHORT
#define READ_REGISTER_NOFENCE_BUFFER_ULONG READ_REGISTER_BUFFER_ULONG
#define WRITE_REGISTER_NOFENCE_BUFFER_ULONG WRITE_REGISTER_BUFFER_ULONG
#define READ_REGISTER_NOFENCE_BUFFER_ULONG64 READ_REGISTER_BUFFER_ULONG64
#define WRITE_REGISTER_NOFENCE_BUFFER_ULONG64 WRITE_REGISTER_BUFFER_ULONG64
#endif

#endif
