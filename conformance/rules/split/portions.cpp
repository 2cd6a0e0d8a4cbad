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

}  // namespace

const PlannedBuffers& planned_buffers(const Trace& trace) {
  return trace.ledger<Plans>().buffers;
}

}  // namespace wddm::split
