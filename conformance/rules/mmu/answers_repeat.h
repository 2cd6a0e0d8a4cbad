// Whether what a driver says of its page tables must be what it said before.
#pragma once

#include <cstdint>

#include "conformance/rules/another_device.h"
#include "conformance/rules/fails_on_purpose.h"
#include "reference/trace/trace.h"

namespace wddm::mmu {

/// Told of OpStarted, EntryReturned and SurpriseRemoved in the order of the trace.
class AnswersRepeat {
 public:
  explicit AnswersRepeat(const Trace& trace) : trace_(trace) {}

  /// True: from here on it is another device, or one with other resources, and may be another
  /// adapter. Of other events nothing is said.
  [[nodiscard]] bool begin_anew(std::uint32_t index) {
    const Event& event = trace_.events()[index];
    if (event.kind == EventKind::OpStarted) {
      has_less_ = has_less_ || fails_on_purpose(Trace::as<ev::OpStarted>(event).kind);
    }
    return may_be_another_device(event);
  }
  /// Calls of the driver were made to fail: who gets less makes do with less.
  [[nodiscard]] bool has_less() const { return has_less_; }

 private:
  const Trace& trace_;
  bool has_less_ = false;
};

}  // namespace wddm::mmu
