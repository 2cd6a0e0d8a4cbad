// Ops that make calls of the driver fail: what follows from that is the scenario's wish.
#pragma once

#include <cstdint>

#include "reference/trace/op.h"

namespace wddm {

/// `kind` of ev::OpStarted: pool allocations or callbacks fail in the next op, or the op itself makes
/// a call that a driver may refuse.
[[nodiscard]] inline bool fails_on_purpose(std::uint32_t kind) {
  const auto op = static_cast<OpKind>(kind);
  return op == OpKind::FailPool || op == OpKind::FailCallback || op == OpKind::HostileData;
}

}  // namespace wddm
