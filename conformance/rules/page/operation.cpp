#include "conformance/rules/page/operation.h"

#include <utility>

#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/va/blamed_entry.h"

namespace wddm::page {
namespace {

struct Cause {
  std::uint32_t kind, packet, operation;
};

Cause cause_of(const Event& event) {
  if (event.kind == EventKind::MemoryChecked) {
    const auto checked = Trace::as<ev::MemoryChecked>(event);
    return {checked.cause, checked.object, checked.operation};
  }
  const auto differs = Trace::as<ev::MemoryDiffers>(event);
  return {differs.cause, differs.cause_object, differs.operation};
}

std::uint32_t gpu_of(const Trace& trace, std::uint32_t packet) {
  std::uint32_t gpu = 0;
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto submitted = trace.at<ev::Submitted>(index);
    if (submitted.packet == packet) gpu = submitted.engine;
  }
  return gpu;
}

// The paging process has an allocation where its operation says. What it wrote beside that was
// reached by no address that is known, unless an entry led there.
va::Blame blame_for(const Trace& trace, const ev::MemoryDiffers& differs,
                    const CheckedOperation& operation) {
  const std::uint32_t kind = operation.done.operation;
  if (!is_any_of(kind, DXGK_OPERATION_VIRTUAL_FILL, DXGK_OPERATION_VIRTUAL_TRANSFER)) return {};
  const va::UsedSpace used{.process = kSystemProcessNumber,
                           .gpu = gpu_of(trace, operation.done.packet),
                           .event = operation.built};
  if (differs.where != static_cast<std::uint32_t>(MemoryPlace::Allocation)) {
    return va::blame_for(trace, differs, used);
  }
  const PagingArguments& range = operation.arguments;
  const std::uint64_t into = std::uint64_t{differs.offset} - range.offset;
  if (differs.object != operation.done.allocation || into >= range.size) return {};
  va::Blame blame = va::blame_for(trace, range.destination_address + into, kNone, used);
  if (kind != DXGK_OPERATION_VIRTUAL_TRANSFER) return blame;
  const va::Blame source =
      va::blame_for(trace, range.source_address + into, kNone, used, "it comes from");
  blame.text += source.text;
  blame.events.insert(blame.events.end(), source.events.begin(), source.events.end());
  return blame;
}

}  // namespace

CheckedOperations::CheckedOperations(const Trace& trace) {
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> built;
  // Index of the latest that has ended with a packet, and of the latest without one, by operation;
  // kNone: nobody saw it built.
  std::uint32_t current = kNone;
  ScratchMap<std::uint32_t, std::uint32_t> at_build;
  MadeToFail made_to_fail;
  std::uint32_t failing_until = 0;  // behind the last event at which calls were made to fail
  const auto paging = static_cast<std::uint32_t>(MemoryCause::Paging);
  for (const std::uint32_t index : trace.of_any<ev::OpStarted, ev::PagingBuilt, ev::PagingDone,
                                                ev::MemoryChecked, ev::MemoryDiffers>()) {
    const Event& event = trace.events()[index];
    if (made_to_fail.now()) failing_until = index + 1;
    if (event.kind == EventKind::OpStarted) {
      made_to_fail.begins(Trace::as<ev::OpStarted>(event).kind);
    } else if (event.kind == EventKind::PagingBuilt) {
      const auto call = Trace::as<ev::PagingBuilt>(event);
      built[{call.operation, call.allocation}] = index;
    } else if (event.kind == EventKind::PagingDone) {
      const auto done = Trace::as<ev::PagingDone>(event);
      std::uint32_t& latest = done.packet == kNone ? at_build[done.operation] : current;
      latest = kNone;
      const auto found = built.find({done.operation, done.allocation});
      if (found == built.end()) continue;
      const auto arguments = trace.blob<PagingArguments>(trace.events()[found->second]);
      if (arguments.empty()) continue;
      latest = static_cast<std::uint32_t>(operations_.size());
      operations_.push_back({.done = done,
                             .arguments = arguments.front(),
                             .built = found->second,
                             .disturbed = failing_until > found->second});
    } else {
      const Cause cause = cause_of(event);
      if (cause.kind != paging) continue;
      std::uint32_t operation = current;
      if (cause.packet == kNone) {
        const auto found = at_build.find(cause.operation);
        operation = found == at_build.end() ? kNone : found->second;
      }
      if (operation == kNone || operations_[operation].done.packet != cause.packet) continue;
      found_.push_back({index, operation});
    }
  }
}

void fail_found(const Trace& trace, const CheckedOperations::Found& found,
                const CheckedOperation& operation, Judgement& judgement, std::string expected,
                const char* more) {
  const auto differs = trace.at<ev::MemoryDiffers>(found.event);
  va::Blame blame;
  if (judgement.is_worth_a_look()) blame = blame_for(trace, differs, operation);
  blame.text += more;
  va::fail_with(blame, judgement, found.event, std::move(expected), difference_text(differs),
                {operation.built});
}

}  // namespace wddm::page
