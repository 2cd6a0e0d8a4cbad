// The portion of a buffer that its marker runs in.
#pragma once

#include <cstddef>

#include "conformance/host/vidsch/markers.h"

namespace wddm::host {

/// The marker is the last command, yet a driver may put split points and releases behind it: it
/// runs in the last portion that names its allocation. Where none does it is in none that is known:
/// in the last of a buffer that stands for itself, in no portion of one behind earlier passes, as
/// it may have come with those. `portions`: their work, in order.
template <class Portions>
[[nodiscard]] std::size_t portion_of_marker(const RenderBuffer& buffer, const Portions& portions) {
  for (std::size_t i = portions.size(); i-- > 0;) {
    if (names_marker(buffer, portions[i].work)) return i;
  }
  return buffer.pass == 0 ? portions.size() - 1 : portions.size();
}

}  // namespace wddm::host
