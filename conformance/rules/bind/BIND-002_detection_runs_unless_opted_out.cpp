// BIND-002: leak detection runs exactly when the driver has not opted out.

#include <algorithm>
#include <utility>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/rendered_lists.h"

namespace wddm::bind_002 {
namespace {

using BufferKey = std::pair<std::uint32_t, std::uint32_t>;  // Render op and pass
using Rejected = ScratchMap<BufferKey, std::uint32_t>;

// Rows that are bound at the split point of element `first` and that its group does not name.
std::uint32_t leaks_at(const split::RenderedList& list, const split::Rows& rows,
                       std::size_t first) {
  std::uint32_t leaks = 0;
  for (const auto& [slot, row] : rows.all()) {
    bool named = row.allocation == kNone;
    for (std::size_t i = first; i < list.group_end(first); ++i) {
      named |= list.elements[i].slot() == slot;
    }
    if (!named) ++leaks;
  }
  return leaks;
}

// What the detection found, by the list itself: `starts` are the portions of a buffer that was let
// through; of one that was rejected nobody planned any, and a leak at some split point excuses it.
void check_list(const split::RenderedList& list, const ScratchVector<std::uint32_t>* starts,
                std::uint32_t rejected, Judgement& judgement) {
  split::Rows rows;
  bool leaks = false;
  for (std::size_t first = 0, end = 0; first < list.elements.size(); first = end) {
    end = list.group_end(first);
    const std::uint32_t offset = list.elements[first].split_offset;
    const bool taken =
        starts == nullptr || std::find(starts->begin(), starts->end(), offset) != starts->end();
    if (taken && leaks_at(list, rows, first) != 0) leaks = true;
    for (std::size_t i = first; i < end; ++i) rows.apply(list, static_cast<std::uint32_t>(i));
  }
  if (starts != nullptr && leaks) {
    judgement.fail(list.rendered, "a packet that leaks where it is cut is rejected", "let through");
  } else if (starts == nullptr && !leaks) {
    judgement.fail(rejected, "a packet without a leak is let through", "rejected", {list.rendered});
  }
}

// The detection is judged by the lists, and that it took place by the packets that were split.
void check_results(const Trace& trace, const ScratchSet<BufferKey>& seen, const Rejected& rejected,
                   Judgement& judgement) {
  ScratchMap<BufferKey, ScratchVector<std::uint32_t>> portions;
  for (const std::uint32_t index : trace.of<ev::PortionPlanned>()) {
    const auto portion = trace.at<ev::PortionPlanned>(index);
    if (portion.start != 0) portions[{portion.render, portion.pass}].push_back(portion.start);
  }
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    const BufferKey key{list.render, list.pass};
    if (!list.is_sorted()) return;
    const auto refused = rejected.find(key);
    const auto planned = portions.find(key);
    if (refused != rejected.end()) {
      check_list(list, nullptr, refused->second, judgement);
    } else if (planned != portions.end()) {
      judgement.reached(list.rendered);
      check_list(list, &planned->second, kNone, judgement);
      if (seen.contains(key)) return;
      judgement.fail(list.rendered, "detection on each split packet", "nobody looked at this one");
    }
  });
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const bool due = platform.scheduling.preemption_aware() &&
                   !platform.scheduling.no_dma_patching() && platform.slots != 0;
  Rejected rejected;
  ScratchSet<BufferKey> seen;
  for (const std::uint32_t index : trace.of<ev::LeakJudged>()) {
    const auto judged = trace.at<ev::LeakJudged>(index);
    judgement.reached(index);
    if ((judged.ran != 0) != due) {
      judgement.fail(index,
                     due ? "detection, because NoDmaPatching is not set"
                         : "no detection: NoDmaPatching is set, the model is that of Windows 7, or "
                           "there are no slots",
                     judged.ran != 0 ? "it ran" : "it did not run");
    }
    const bool leaks = judged.ran != 0 && judged.leaks != 0;
    if ((judged.rejected != 0) != leaks) {
      judgement.fail(index, leaks ? "a leaking packet is rejected" : "the packet is let through",
                     judged.rejected != 0 ? "rejected" : "let through");
    }
    seen.emplace(judged.render, judged.pass);
    if (judged.rejected != 0) rejected[{judged.render, judged.pass}] = index;
  }
  if (due) check_results(trace, seen, rejected, judgement);
  for (const std::uint32_t index : trace.of<ev::PortionPlanned>()) {
    const auto portion = trace.at<ev::PortionPlanned>(index);
    const auto found = rejected.find({portion.render, portion.pass});
    if (found == rejected.end()) continue;
    judgement.fail(index, "nothing of a rejected packet reaches the scheduler",
                   "bytes from " + std::to_string(portion.start) + " on do", {found->second});
  }
}

const Rule kRule{
    .id = "BIND-002",
    .aliases = "SCHED-005 SCHED-006",
    .title = "Leak detection runs exactly when the driver has not opted out",
    .binds = Binds::Os,
    .rule =
        "With NoDmaPatching 0, the list of each split packet is walked and a packet with a "
        "leaked binding is rejected before it reaches the hardware; with NoDmaPatching 1 no "
        "packet is rejected for that reason.",
    .sources =
        "gpu-preemption.md # binding leak detection\n"
        "ns-d3dkmddi-_dxgk_vidschcaps.md # NoDmaPatching",
    .note =
        "One sentence has detection after Patch, another before it. The list is constant during "
        "Patch, so the verdict is the same; this host looks before. With PreemptionAware 0 the "
        "documents say nothing, and it does not run. Whether a packet leaks is told from its list, "
        "at "
        "the split points where it was cut.",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: a split packet of a driver that has opted out
ops:
- configure: {setting: NoDmaPatching, value: 1}
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
)",
    .control = R"(
about: a split packet of a driver that has not
ops:
- configure: {setting: NoDmaPatching, value: 0}
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
)",
    .fault = {.about = "detection runs although NoDmaPatching is 1",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::LeakCheckIgnoresCap}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::bind_002
