// What rules on Render share: whether a call made output that will run.
#pragma once

#include <cstdint>

namespace wddm::render {

inline constexpr std::uint32_t kInsufficientDmaBuffer = 0xC01E0001;

[[nodiscard]] inline bool incomplete(std::uint32_t status) {
  return status == kInsufficientDmaBuffer;
}
/// Any NT_SUCCESS status, or the one that asks for another buffer.
[[nodiscard]] inline bool made_output(std::uint32_t status) {
  return status < 0x80000000 || incomplete(status);
}

}  // namespace wddm::render
