// Calls in which something failed that the driver had asked of Dxgkrnl: what they return then says
// nothing of the driver. Some of that this host does not do, and says so (callback.def).
#pragma once

#include <algorithm>

#include "conformance/rules/rule.h"

namespace wddm {

/// Whether a callback failed between two events of a trace.
[[nodiscard]] inline bool callback_failed(const Trace& trace, std::uint32_t first,
                                          std::uint32_t end) {
  const auto calls = trace.of<ev::CallbackCalled>();
  return std::any_of(std::lower_bound(calls.begin(), calls.end(), first),
                     std::lower_bound(calls.begin(), calls.end(), end), [&](std::uint32_t index) {
                       const auto called = trace.at<ev::CallbackCalled>(index);
                       return !NT_SUCCESS(static_cast<NTSTATUS>(called.result));
                     });
}

}  // namespace wddm
