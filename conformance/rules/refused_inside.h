// Calls in which this host refused what a driver asked of it. What such a call returns says nothing
// of the driver: Windows may do what this host does not offer.
#pragma once

#include <algorithm>

#include "conformance/rules/rule.h"

namespace wddm {

/// Whether a callback of the thread returned STATUS_NOT_SUPPORTED between two events of a trace.
[[nodiscard]] inline bool was_refused_inside(const Trace& trace, std::uint32_t first,
                                             std::uint32_t end, std::uint16_t thread) {
  const auto calls = trace.of<ev::CallbackCalled>();
  return std::any_of(
      std::lower_bound(calls.begin(), calls.end(), first),
      std::lower_bound(calls.begin(), calls.end(), end), [&](std::uint32_t index) {
        const auto status = static_cast<NTSTATUS>(trace.at<ev::CallbackCalled>(index).result);
        return trace.events()[index].thread == thread && status == STATUS_NOT_SUPPORTED;
      });
}

}  // namespace wddm
