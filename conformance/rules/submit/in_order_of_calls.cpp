#include "conformance/rules/submit/in_order_of_calls.h"

#include "reference/is_any_of.h"
#include "reference/trace/names.h"

namespace wddm {

SubmissionCalls::SubmissionCalls(const Trace& trace) {
  const auto submitted = trace.of<ev::Submitted>();
  for (const std::uint32_t index : trace.of_any<ev::DdiEntered, ev::Submitted>()) {
    const Event& event = trace.events()[index];
    const std::size_t next = begun.size();
    if (next == submitted.size()) return;
    if (event.kind == EventKind::Submitted) {
      if (submitted[next] == index) begun.push_back(index);
    } else {
      const auto call = Trace::as<ev::DdiEntered>(event);
      const bool submits = is_any_of(static_cast<DdiId>(call.ddi), DdiId::SubmitCommand,
                                     DdiId::SubmitCommandVirtual);
      if (submits && trace.at<ev::Submitted>(submitted[next]).packet == call.object) {
        begun.push_back(index);
      }
    }
  }
}

}  // namespace wddm
