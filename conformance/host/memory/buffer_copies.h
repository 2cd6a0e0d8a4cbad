// Buffers for a driver, made of what a vector holds.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "conformance/host/memory/guarded_names.h"
#include "conformance/host/memory/memory.h"

namespace wddm::memory {

/// Private driver data between inaccessible pages, called `what`; no buffer where there are none.
[[nodiscard]] inline GuardedBuffer guarded_copy(const std::vector<std::uint8_t>& data,
                                                const char* what) {
  if (data.empty()) return {};
  GuardedBuffer buffer(data.size(), false, FrameOwner::Driver);
  std::copy(data.begin(), data.end(), buffer.data());
  name_buffer(buffer, what);
  return buffer;
}

/// What user mode hands over. There is a byte to point at where there are no elements.
template <class Element>
[[nodiscard]] UserBuffer user_copy(const std::vector<Element>& elements) {
  const std::size_t bytes = elements.size() * sizeof(Element);
  UserBuffer copy(std::max<std::size_t>(bytes, 1));
  if (bytes != 0) std::memcpy(copy.data(), elements.data(), bytes);
  return copy;
}

}  // namespace wddm::memory
