// Want of system memory, which a call may meet at any time.
#pragma once

#include <ntddk.h>

#include <cstdint>

namespace wddm {

/// Of a status that a driver has returned.
[[nodiscard]] inline bool is_out_of_memory(std::uint32_t status) {
  const auto answer = static_cast<NTSTATUS>(status);
  return answer == STATUS_NO_MEMORY || answer == STATUS_INSUFFICIENT_RESOURCES;
}

}  // namespace wddm
