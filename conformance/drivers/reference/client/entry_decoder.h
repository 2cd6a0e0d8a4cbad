// Reads an entry of a page table as the reference GPU does.
//
// Models hw.h, "Page tables". Leaves out: whether the place that an entry leads to exists.
#pragma once

#include "conformance/sdk/client.h"

namespace wddm::reference_client {

/// Bytes of an entry of `table`, or -1 if the GPU has no such table. `entry` may be null; else it
/// has that many bytes, and `out` says what they mean.
[[nodiscard]] int decode_entry(const WddmPageTable& table, const void* entry, WddmTableEntry* out);

}  // namespace wddm::reference_client
