// Contexts whose work reaches memory through the IOMMU, by what the driver says when they are made.
#pragma once

#include <d3dkmddi.h>

#include <cstdint>

#include "reference/trace/trace.h"

namespace wddm::proc {

[[nodiscard]] inline bool was_made(const ev::ContextCreated& created) {
  return NT_SUCCESS(static_cast<NTSTATUS>(created.status));
}

[[nodiscard]] inline bool uses_io_mmu(const ev::ContextCreated& created) {
  constexpr std::uint32_t kUseIoMmu = 1u << 2;  // of DXGK_CONTEXTINFO_CAPS
  return (created.caps & kUseIoMmu) != 0;
}

}  // namespace wddm::proc
