// The portion of a buffer that its marker runs in.
#pragma once

#include <cstddef>

#include "conformance/host/vidsch/markers.h"

namespace wddm::host {

/// The marker is the last command, yet a driver may put split points and releases behind it: it
/// runs in the last portion that names its allocation. `portions`: their work, in order.
template <class Portions>
[[nodiscard]] std::size_t portion_of_marker(const RenderBuffer& buffer, const Portions& portions) {
  for (std::size_t i = portions.size(); i-- > 0;) {
    if (names_marker(buffer, portions[i].work)) return i;
  }
  return portions.size() - 1;
}

}  // namespace wddm::host
