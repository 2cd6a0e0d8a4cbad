// The events of a trace in the order of what they tell: a submission where its call begins.
//
// A packet may run, be fetched and be reported before SubmitCommand returns and Submitted is
// written. Leaves out calls that a trace broke off in.
#pragma once

#include <cstddef>

#include "reference/trace/names.h"
#include "reference/trace/trace.h"

namespace wddm {

/// Calls `visit(index)` for every Submitted and every event of kinds `Others`. A Submitted without
/// its DdiEntered counts from where it stands.
template <class... Others, class Visit>
void in_order_of_calls(const Trace& trace, Visit&& visit) {
  const auto submitted = trace.of<ev::Submitted>();
  std::size_t next = 0;  // all before it have been visited
  for (const std::uint32_t index : trace.of_any<ev::DdiEntered, ev::Submitted, Others...>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      const auto call = Trace::as<ev::DdiEntered>(event);
      if (call.ddi != static_cast<std::uint32_t>(DdiId::SubmitCommand)) continue;
      if (next == submitted.size()) continue;
      if (trace.at<ev::Submitted>(submitted[next]).packet != call.object) continue;
      visit(submitted[next++]);
    } else if (event.kind != EventKind::Submitted) {
      visit(index);
    } else if (next != submitted.size() && submitted[next] == index) {
      visit(submitted[next++]);
    }
  }
}

}  // namespace wddm
