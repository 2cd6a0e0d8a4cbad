// Ops that make calls of the driver fail: what follows from that is the scenario's wish.
#pragma once

#include <cstdint>

#include "reference/trace/op.h"

namespace wddm {

/// `kind` of ev::OpStarted: pool allocations or callbacks fail in the next op.
[[nodiscard]] inline bool fails_on_purpose(std::uint32_t kind) {
  const auto op = static_cast<OpKind>(kind);
  return op == OpKind::FailPool || op == OpKind::FailCallback;
}

}  // namespace wddm
