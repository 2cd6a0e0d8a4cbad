// The events of a trace in the order of what they tell: a submission where its call begins.
//
// A packet may run, be fetched and be reported before SubmitCommand returns and Submitted is
// written. Leaves out calls that a trace broke off in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/trace/trace.h"

namespace wddm {

/// Where the call of each submission begins.
struct SubmissionCalls {
  explicit SubmissionCalls(const Trace& trace);
  /// Of the k-th Submitted: its DdiEntered, or itself where there is none. Ascending.
  std::vector<std::uint32_t> begun;
};

/// Calls `visit(index)` for every Submitted and every event of kinds `Others`.
template <class... Others, class Visit>
void in_order_of_calls(const Trace& trace, Visit&& visit) {
  const auto submitted = trace.of<ev::Submitted>();
  const std::vector<std::uint32_t>& begun = trace.ledger<SubmissionCalls>().begun;
  std::size_t next = 0;
  for (const std::uint32_t index : trace.of_any<Others...>()) {
    for (; next < begun.size() && begun[next] < index; ++next) visit(submitted[next]);
    visit(index);
  }
  for (; next < begun.size(); ++next) visit(submitted[next]);
}

}  // namespace wddm
