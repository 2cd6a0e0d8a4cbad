// Reads a DMA buffer of the reference GPU back into commands.
//
// Models hw.h, "Commands", for paging buffers too. Leaves out: whether operands make sense.
#pragma once

#include <cstdint>

#include "conformance/drivers/reference/client/strided.h"
#include "conformance/sdk/client.h"

namespace wddm::reference_client {

/// Number of commands in `bytes` bytes at `dma`, of which `out` takes as many as it has room for;
/// -1 if the range does not consist of whole hardware commands.
[[nodiscard]] int decode(const void* dma, std::uint32_t bytes, Strided<WddmDecoded> out);

}  // namespace wddm::reference_client
