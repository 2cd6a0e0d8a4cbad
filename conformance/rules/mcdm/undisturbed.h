// Scenarios in which a driver may refuse what it would else do.
#pragma once

#include "conformance/rules/rule.h"
#include "reference/trace/op.h"

namespace wddm {

/// Whether nothing that the driver asks for was made to fail.
inline bool undisturbed(const Trace& trace) {
  for (const std::uint32_t index : trace.of<ev::OpStarted>()) {
    const auto kind = static_cast<OpKind>(trace.at<ev::OpStarted>(index).kind);
    if (kind == OpKind::FailPool || kind == OpKind::FailCallback) return false;
  }
  return true;
}

}  // namespace wddm
