// Calls of the driver that have not returned.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>

#include "conformance/rules/scratch.h"
#include "reference/trace/ddi.h"

namespace wddm {

/// Lives within one check. Call: what is kept of each; it has `thread` and `ddi`.
template <class Call>
class RunningCalls {
 public:
  void enter(const Call& call) { calls_.push_back(call); }
  /// The innermost of its thread; nothing if its beginning is not in the trace.
  std::optional<Call> leave(std::uint16_t thread, DdiId ddi) {
    const auto found = std::find_if(calls_.rbegin(), calls_.rend(), [&](const Call& call) {
      return call.thread == thread && call.ddi == ddi;
    });
    if (found == calls_.rend()) return std::nullopt;
    const Call call = *found;
    calls_.erase(std::next(found).base());
    return call;
  }
  [[nodiscard]] auto begin() { return calls_.begin(); }
  [[nodiscard]] auto end() { return calls_.end(); }

 private:
  ScratchVector<Call> calls_;
};

}  // namespace wddm
