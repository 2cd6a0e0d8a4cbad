// READ_REGISTER_*, WRITE_REGISTER_* and ports: to memory, or through the hook to the device.
//
// A register access is a place where the device may raise an interrupt and another thread get its
// turn, so it is a service and a yield point. Barriers need nothing: all runs on one thread.
#include <cstring>

#include "conformance/host/memory/memory.h"
#include "conformance/host/nt/core/points.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/memory/memory_services.h"
#include "conformance/sdk/ddi/nt/registers.h"

namespace wddm::nt {
namespace {

RegisterHook g_registers{};
RegisterHook g_ports{};

template <class T>
T hook_read(const Service& service, const RegisterHook& hook, std::uint64_t address) {
  if (hook.read) {
    const T value = static_cast<T>(hook.read(hook.context, address, sizeof(T)));
    point();
    return value;
  }
  service.report(FindingKind::BadParameter, "no device answers there");
  return static_cast<T>(~T{0});
}

template <class T>
void hook_write(const Service& service, const RegisterHook& hook, std::uint64_t address, T value) {
  if (!hook.write) {
    service.report(FindingKind::BadParameter, "no device answers there");
    return;
  }
  hook.write(hook.context, address, sizeof(T), value);
  point();
}

template <class T>
void check_alignment(const Service& service, const volatile T* address) {
  if (reinterpret_cast<std::uint64_t>(address) % sizeof(T) != 0)
    service.report(FindingKind::BadParameter, "the register address is not naturally aligned");
}

template <class T>
T read_register(const Service& service, const volatile T* address) {
  yield_point();
  check_alignment(service, address);
  std::uint64_t bus = 0;
  if (memory::register_of(const_cast<const T*>(address), &bus))
    return hook_read<T>(service, g_registers, bus);
  T value;
  std::memcpy(&value, const_cast<const T*>(address), sizeof value);
  return value;
}

template <class T>
void write_register(const Service& service, volatile T* address, T value) {
  yield_point();
  check_alignment(service, address);
  std::uint64_t bus = 0;
  if (memory::register_of(const_cast<const T*>(address), &bus))
    return hook_write<T>(service, g_registers, bus, value);
  std::memcpy(const_cast<T*>(address), &value, sizeof value);
}

template <class T>
T read_port(const Service& service, const T* port) {
  yield_point();
  return hook_read<T>(service, g_ports, reinterpret_cast<std::uint64_t>(port));
}

template <class T>
void write_port(const Service& service, const T* port, T value) {
  yield_point();
  hook_write<T>(service, g_ports, reinterpret_cast<std::uint64_t>(port), value);
}

}  // namespace

void set_register_hook(const RegisterHook& hook) {
  g_registers = hook;
}
void set_port_hook(const RegisterHook& hook) {
  g_ports = hook;
}

}  // namespace wddm::nt

using namespace wddm::nt;

// A buffer goes to successive registers, but to one and the same port.
#define WDDM_REGISTER_SERVICES(NAME, type)                                                    \
  type READ_REGISTER_##NAME(volatile type* Register) {                                        \
    NT_SERVICE(READ_REGISTER_##NAME);                                                         \
    return read_register<type>(service, Register);                                            \
  }                                                                                           \
  VOID WRITE_REGISTER_##NAME(volatile type* Register, type Value) {                           \
    NT_SERVICE(WRITE_REGISTER_##NAME);                                                        \
    write_register<type>(service, Register, Value);                                           \
  }                                                                                           \
  VOID READ_REGISTER_BUFFER_##NAME(volatile type* Register, type* Buffer, ULONG Count) {      \
    NT_SERVICE(READ_REGISTER_BUFFER_##NAME);                                                  \
    for (ULONG i = 0; i < Count; ++i) Buffer[i] = read_register<type>(service, Register + i); \
  }                                                                                           \
  VOID WRITE_REGISTER_BUFFER_##NAME(volatile type* Register, type* Buffer, ULONG Count) {     \
    NT_SERVICE(WRITE_REGISTER_BUFFER_##NAME);                                                 \
    for (ULONG i = 0; i < Count; ++i) write_register<type>(service, Register + i, Buffer[i]); \
  }

#define WDDM_PORT_SERVICES(NAME, type)                                            \
  type READ_PORT_##NAME(type* Port) {                                             \
    NT_SERVICE(READ_PORT_##NAME);                                                 \
    return read_port<type>(service, Port);                                        \
  }                                                                               \
  VOID WRITE_PORT_##NAME(type* Port, type Value) {                                \
    NT_SERVICE(WRITE_PORT_##NAME);                                                \
    write_port<type>(service, Port, Value);                                       \
  }                                                                               \
  VOID READ_PORT_BUFFER_##NAME(type* Port, type* Buffer, ULONG Count) {           \
    NT_SERVICE(READ_PORT_BUFFER_##NAME);                                          \
    for (ULONG i = 0; i < Count; ++i) Buffer[i] = read_port<type>(service, Port); \
  }                                                                               \
  VOID WRITE_PORT_BUFFER_##NAME(type* Port, type* Buffer, ULONG Count) {          \
    NT_SERVICE(WRITE_PORT_BUFFER_##NAME);                                         \
    for (ULONG i = 0; i < Count; ++i) write_port<type>(service, Port, Buffer[i]); \
  }

extern "C" {

WDDM_REGISTER_SERVICES(UCHAR, UCHAR)
WDDM_REGISTER_SERVICES(USHORT, USHORT)
WDDM_REGISTER_SERVICES(ULONG, ULONG)
WDDM_REGISTER_SERVICES(ULONG64, ULONG64)
WDDM_PORT_SERVICES(UCHAR, UCHAR)
WDDM_PORT_SERVICES(USHORT, USHORT)
WDDM_PORT_SERVICES(ULONG, ULONG)

}  // extern "C"
