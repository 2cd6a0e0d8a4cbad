// The portion of a buffer that its marker runs in.
#pragma once

#include <cstddef>

#include "conformance/host/vidsch/markers.h"

namespace wddm::host {

/// The marker is the last command, yet a driver may put split points and releases behind it: it
/// runs in the last portion that names its allocation. Where none does it is taken to be in the
/// last; but behind earlier passes, which may have held it, in none: that is one past the last.
/// `portions`: their work, in order.
template <class Portions>
[[nodiscard]] std::size_t portion_of_marker(const RenderBuffer& buffer, const Portions& portions) {
  for (std::size_t i = portions.size(); i-- > 0;) {
    if (names_marker(buffer, portions[i].work)) return i;
  }
  return buffer.pass == 0 ? portions.size() - 1 : portions.size();
}

}  // namespace wddm::host
