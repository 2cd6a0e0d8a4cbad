// An array of the host's, of elements that may be larger or smaller than this client knows.
//
// Models client.h, "How this contract grows": only what both sides know of an element passes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "conformance/sdk/client.h"

namespace wddm::reference_client {

/// To be filled by the client.
template <class Element>
struct Strided {
  Element* first;
  std::uint32_t stride;
  std::uint32_t capacity;

  /// Does nothing where there is no room.
  void put(std::uint32_t index, const Element& element) const {
    if (index >= capacity) return;
    std::memcpy(static_cast<void*>(WDDM_CLIENT_ELEMENT(Element, first, stride, index)), &element,
                std::min<std::size_t>(sizeof(Element), stride));
  }
};

/// Made by the host: what it leaves out is 0.
template <class Element>
[[nodiscard]] Element take(const Element* first, std::uint32_t stride, std::uint32_t index) {
  Element element{};
  std::memcpy(&element, WDDM_CLIENT_ELEMENT(const Element, first, stride, index),
              std::min<std::size_t>(sizeof(Element), stride));
  return element;
}

}  // namespace wddm::reference_client
