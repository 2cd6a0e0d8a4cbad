// The public structures of ntddk.h and the kernel's own view of them. Internal to the kernel.
#pragma once

#include <cstdint>

#include "conformance/host/nt/core/dispatcher.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/sdk/ddi/ntddk.h"

namespace wddm::nt {

static_assert(sizeof(KEVENT) == sizeof(DispatcherHeader));
static_assert(sizeof(KSEMAPHORE) == sizeof(SemaphoreBlock));
static_assert(sizeof(KMUTEX) == sizeof(MutexBlock));
static_assert(sizeof(KTIMER) == sizeof(Timer));
static_assert(sizeof(KDPC) == sizeof(DpcBlock));
static_assert(sizeof(LIST_ENTRY) == sizeof(Link));

[[nodiscard]] inline DispatcherHeader& header_of(void* object) {
  return *static_cast<DispatcherHeader*>(object);
}
[[nodiscard]] inline Timer& timer_of(PKTIMER timer) {
  return *reinterpret_cast<Timer*>(timer);
}
[[nodiscard]] inline DpcBlock& dpc_of(PKDPC dpc) {
  return *reinterpret_cast<DpcBlock*>(dpc);
}
[[nodiscard]] inline HANDLE handle_from(std::uint64_t number) {
  return reinterpret_cast<HANDLE>(number);
}
[[nodiscard]] inline std::uint64_t number_of(HANDLE handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

/// What KeInitializeDpc leaves in DpcBlock::type.
inline constexpr std::uint8_t kDpcType = 0x13;
/// The simulated system: Windows 10 version 2004, the first with WDDM 2.7.
struct WindowsVersion {
  ULONG major, minor, build;
};
inline constexpr WindowsVersion kWindows{10, 0, 19041};
/// System time at virtual time 0: 2020-01-01 00:00:00 UTC, in 100 ns since 1601.
inline constexpr Time kSystemTimeAtBoot = 132'223'104'000'000'000;
/// Interrupt time at virtual time 0: the machine has been up for a minute.
inline constexpr Time kUpTimeAtBoot = 600'000'000;
/// 100 ns units per tick.
inline constexpr Time kTick = 156'250;

/// The virtual time that a timeout means: negative is relative, positive is system time. A time in
/// the past is now.
[[nodiscard]] Time due_time(std::int64_t timeout);
/// Whether it looks like an object of one of these kinds that was initialised; reports BadParameter
/// if not.
[[nodiscard]] bool check_object(const Service& service, const void* object, ObjectKind first,
                                ObjectKind last);

}  // namespace wddm::nt
