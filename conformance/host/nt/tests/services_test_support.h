// Driver-like bodies for the tests of the kernel's services.
#pragma once

#include "conformance/host/nt/tests/nt_test_support.h"
#include "conformance/sdk/ddi/ntddk.h"

namespace wddm::nt::test {

/// A timeout relative to now, in 100 ns.
inline LARGE_INTEGER relative(LONGLONG units) {
  LARGE_INTEGER time;
  time.QuadPart = -units;
  return time;
}

inline NTSTATUS wait(void* object) {
  return KeWaitForSingleObject(object, Executive, KernelMode, FALSE, nullptr);
}

inline NTSTATUS wait(void* object, LONGLONG units) {
  LARGE_INTEGER timeout = relative(units);
  return KeWaitForSingleObject(object, Executive, KernelMode, FALSE, &timeout);
}

/// Starts a driver thread; `body` must live until it ends. Returns its handle.
template <typename Body>
HANDLE driver_thread(Body& body) {
  HANDLE handle = nullptr;
  static_cast<void>(PsCreateSystemThread(
      &handle, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr,
      [](void* context) { (*static_cast<Body*>(context))(); }, &body));
  return handle;
}

/// Starts a driver thread and forgets its handle.
template <typename Body>
void driver_thread_detached(Body& body) {
  static_cast<void>(ZwClose(driver_thread(body)));
}

}  // namespace wddm::nt::test
