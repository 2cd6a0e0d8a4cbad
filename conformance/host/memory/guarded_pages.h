// Pages for guarded buffers, each run with an inaccessible page behind. Internal to this folder.
#pragma once

#include <cstdint>

#include "conformance/host/memory/memory.h"

namespace wddm::memory::internal {

/// Accessible, adjacent in both spaces, contents undefined. HARNESS failure when exhausted.
[[nodiscard]] std::uint8_t* take_guarded(std::uint64_t pages, FrameOwner owner);
/// The same, inaccessible (unless they are left open anyway) until unseal().
[[nodiscard]] std::uint8_t* take_sealed(std::uint64_t pages, FrameOwner owner);
void unseal(const std::uint8_t* base, std::uint64_t pages);
/// As take_guarded(), adjacent for the CPU alone unless there are many.
[[nodiscard]] std::uint8_t* take_scattered(std::uint64_t pages, FrameOwner owner);
/// Makes them inaccessible, of either kind.
void give_guarded(std::uint8_t* base, std::uint64_t pages);

}  // namespace wddm::memory::internal
