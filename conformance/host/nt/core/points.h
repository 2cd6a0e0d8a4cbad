// Points inside of a driver's code at which its devices may have gone on and interrupts come in: it
// has accessed a register, or released a lock. Internal to the kernel but for set_point_hook().
#pragma once

#include <array>
#include <cstdint>

#include "conformance/host/nt/core/fiber_scheduler.h"

namespace wddm::nt {

struct PointHook {
  void (*passed)(void* context) = nullptr;
  void* context = nullptr;
};
inline PointHook g_point_hook{};

/// Who lets devices go on there; an empty hook ends that.
inline void set_point_hook(const PointHook& hook) {
  g_point_hook = hook;
}

/// How many points each DriverCall has passed, the innermost last.
struct PointCounts {
  std::array<std::uint32_t, 32> passed{};
  std::uint32_t depth = 0;
  void enter() { passed[++depth % passed.size()] = 0; }
  void leave() { depth -= depth != 0; }
  std::uint32_t next() { return ++passed[depth % passed.size()]; }
};
inline PointCounts g_points{};

inline void point() {
  if (g_point_hook.passed == nullptr) return;
  g_point_hook.passed(g_point_hook.context);
  deliver_if_any();
}

}  // namespace wddm::nt
