// Queries that a driver may fail because the scenario lets it have no memory.
#pragma once

#include <cstdint>

#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/out_of_memory.h"
#include "conformance/rules/rule.h"

namespace wddm::seg {

/// QueryAdapterInfo may return STATUS_NO_MEMORY, and the scenario makes pool allocations fail.
[[nodiscard]] inline bool is_short_of_memory(const Trace& trace, std::uint32_t status) {
  if (!is_out_of_memory(status)) return false;
  for (const std::uint32_t index : trace.of<ev::OpStarted>()) {
    if (fails_on_purpose(trace.at<ev::OpStarted>(index).kind)) return true;
  }
  return false;
}

}  // namespace wddm::seg
