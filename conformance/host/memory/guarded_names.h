// What buffers of Dxgkrnl are called, for who explains a fault.
#pragma once

#include <cstddef>

#include "conformance/host/memory/memory.h"

namespace wddm::memory {

/// `what` lives for ever: "patch-location list".
void name_buffer(const GuardedBuffer& buffer, const char* what);

/// "16 bytes behind the patch-location list", "8 bytes into the DMA buffer": of an address in a
/// guarded buffer, beside it on its pages, or on the page behind. Returns the length, 0: it is none
/// of these. Async-signal-safe.
std::size_t describe_guarded(const void* address, char* text, std::size_t capacity);

}  // namespace wddm::memory
