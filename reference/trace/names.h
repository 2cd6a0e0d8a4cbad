// The names of DDIs, callbacks, NTSTATUS values, interrupt types and paging operations in text.
#pragma once

#include <cstdint>
#include <string>

#include "reference/trace/ddi.h"

namespace wddm {

/// "DxgkDdiRender", "DriverEntry"; "?" for an unknown number.
[[nodiscard]] const char* ddi_name(std::uint32_t id);
/// "DxgkCbQueueDpc"
[[nodiscard]] const char* callback_name(std::uint32_t id);
/// "STATUS_INVALID_PARAMETER", or "0xC01E0102" for values without a name here.
[[nodiscard]] std::string status_name(std::uint32_t status);
/// "DXGK_INTERRUPT_DMA_COMPLETED"
[[nodiscard]] std::string interrupt_name(std::uint32_t type);
/// "DXGK_OPERATION_TRANSFER"
[[nodiscard]] std::string paging_operation_name(std::uint32_t operation);

}  // namespace wddm
