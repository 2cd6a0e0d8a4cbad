// What a report of a page fault asks of Dxgkrnl.
#pragma once

#include <d3dkmddi.h>

#include <cstdint>

namespace wddm {

/// DXGK_PAGE_FAULT_FLAGS: the engine stands until it, or the adapter, has been reset.
[[nodiscard]] constexpr bool asks_for_reset(std::uint32_t flags) {
  return (flags & (static_cast<std::uint32_t>(DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED) |
                   static_cast<std::uint32_t>(DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED))) != 0;
}

}  // namespace wddm
