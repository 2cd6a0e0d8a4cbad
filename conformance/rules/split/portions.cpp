#include "conformance/rules/split/portions.h"

namespace wddm::split {
namespace {

struct Plans {
  explicit Plans(const Trace& trace);
  PlannedBuffers buffers;
};

Plans::Plans(const Trace& trace) {
  for_each_list(trace, [this](const RenderedList& list) {
    if (list.is_sorted()) buffers[{list.render, list.pass}].list = list;
  });
  for (const std::uint32_t index : trace.of<ev::PortionPlanned>()) {
    const auto portion = trace.at<ev::PortionPlanned>(index);
    const auto found = buffers.find({portion.render, portion.pass});
    if (found == buffers.end()) continue;
    found->second.portions.push_back(
        {index, portion, trace.blob<PagingStepRecord>(trace.events()[index])});
  }
}

struct FirstSubmissions {
  explicit FirstSubmissions(const Trace& trace);
  std::vector<FirstSubmission> all;
};

FirstSubmissions::FirstSubmissions(const Trace& trace) {
  struct Plan {
    std::vector<std::uint32_t> portions;
    std::size_t submitted = 0;
  };
  std::map<std::uint32_t, Plan> plans;  // by render
  for (const std::uint32_t index : trace.of<ev::PortionPlanned>()) {
    plans[trace.at<ev::PortionPlanned>(index).render].portions.push_back(index);
  }
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto submitted = trace.at<ev::Submitted>(index);
    if (submitted.paging != 0 || submitted.again != 0) continue;
    Plan& plan = plans[submitted.render];
    const std::size_t k = plan.submitted++;
    all.push_back({index, k < plan.portions.size() ? plan.portions[k] : kNone});
  }
}

}  // namespace

const PlannedBuffers& planned_buffers(const Trace& trace) {
  return trace.ledger<Plans>().buffers;
}

const std::vector<FirstSubmission>& first_submissions(const Trace& trace) {
  return trace.ledger<FirstSubmissions>().all;
}

}  // namespace wddm::split
