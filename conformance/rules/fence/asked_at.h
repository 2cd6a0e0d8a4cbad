// When an answer of QueryCurrentFence was asked for. What happens in the middle of the call the
// driver may have found behind its answer.
#pragma once

#include <algorithm>

#include "conformance/rules/rule.h"
#include "reference/trace/ddi.h"

namespace wddm::fence {

/// Where the call of a FenceQueried begins; itself, where the trace has none.
[[nodiscard]] inline std::uint32_t asked_at(const Trace& trace, std::uint32_t queried) {
  const auto calls = trace.of<ev::DdiEntered>();
  for (auto call = std::lower_bound(calls.begin(), calls.end(), queried); call != calls.begin();) {
    const auto ddi = static_cast<DdiId>(trace.at<ev::DdiEntered>(*--call).ddi);
    if (ddi == DdiId::QueryCurrentFence) return *call;
  }
  return queried;
}

}  // namespace wddm::fence
