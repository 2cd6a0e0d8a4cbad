// What rules on Render share: whether a driver has it, and whether a call made output that will
// run.
#pragma once

#include <cstdint>

#include "conformance/rules/rule.h"

namespace wddm::render {

inline constexpr std::uint32_t kInsufficientDmaBuffer = 0xC01E0001;

/// Render translates what a client builds: not so with GPU virtual addresses.
[[nodiscard]] inline NotApplicable translating(const Platform& platform) {
  if (const NotApplicable reason = rendering(platform)) return reason;
  if (platform.has_virtual_addresses()) {
    return kRenderIsNotCalled;
  }
  return needs(platform, DdiId::Render);
}

[[nodiscard]] inline bool incomplete(std::uint32_t status) {
  return status == kInsufficientDmaBuffer;
}
/// Any NT_SUCCESS status, or the one that asks for another buffer.
[[nodiscard]] inline bool made_output(std::uint32_t status) {
  return status < 0x80000000 || incomplete(status);
}

}  // namespace wddm::render
