// Contexts of hostile user mode, which withholds the private data that it has for them: a driver
// may refuse them for that.
#pragma once

#include "conformance/rules/rule.h"

namespace wddm {

struct WithheldData {
  explicit WithheldData(const Trace& trace) {
    for (const std::uint32_t index : trace.of<ev::ContextCreated>()) {
      const auto context = trace.at<ev::ContextCreated>(index);
      any |= context.given < context.whole;
    }
  }
  bool any = false;
};

/// Of some context, made or refused.
[[nodiscard]] inline bool withholds_data(const Trace& trace) {
  return trace.ledger<WithheldData>().any;
}

}  // namespace wddm
