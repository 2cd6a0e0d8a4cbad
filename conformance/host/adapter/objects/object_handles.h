// Handles of the simulated Dxgkrnl, which say nothing about memory, and what drivers leave in their
// place.
#pragma once

#include <cstdint>

#include "conformance/host/adapter/objects/objects.h"
#include "reference/trace/names.h"

namespace wddm::host {

// D3DKMT handles: kind in the upper bits, slot in the lower.
inline constexpr std::uint32_t kDeviceHandles = 0x40000000;
inline constexpr std::uint32_t kContextHandles = 0x50000000;
inline constexpr std::uint32_t kAllocationHandles = 0x60000000;
inline constexpr std::uint32_t kLentHandles = 0x70000000;
inline constexpr std::uint32_t kHandleStep = 0x40;
inline constexpr std::uint32_t kHandles = kSlots + kMostNodes;  // of any kind, at most

template <class Id>
[[nodiscard]] std::uint32_t handle(std::uint32_t kind, Id id) {
  return kind + (id.value + 1) * kHandleStep;
}
template <class Id>
[[nodiscard]] HANDLE os_handle(std::uint32_t kind, Id id) {
  return reinterpret_cast<HANDLE>(static_cast<std::uintptr_t>(handle(kind, id)));
}

// DeviceCreated::handle, and so on for contexts, processes and physical adapters
inline constexpr std::uint32_t kNoHandle = 0, kItsOwn = 1, kAnothers = 2, kOurs = 3;

struct HandleJudged {
  std::uint32_t handle = kItsOwn;
  std::uint32_t same_as = kNone;
};

// What a driver has left where Dxgkrnl's own handle was, beside what others have.
template <class Range, class Values>
[[nodiscard]] HandleJudged judge_handle(HANDLE driver, HANDLE ours, const Range& all,
                                        const Values& values) {
  if (driver == nullptr) return {.handle = kNoHandle};
  for (const auto id : all) {
    if (values[id].live && values[id].driver == driver) return {kAnothers, id.value};
  }
  return {.handle = driver == ours ? kOurs : kItsOwn};
}

// The number of what a handle of this kind names; of no handle, something that there is not.
[[nodiscard]] inline std::uint32_t number_named_by(std::uint32_t kind, HANDLE os_handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(os_handle);
  const std::uintptr_t index = (value - kind) / kHandleStep;
  return value > kind && value % kHandleStep == 0 && index <= kHandles
             ? static_cast<std::uint32_t>(index - 1)
             : kNone;
}

}  // namespace wddm::host
