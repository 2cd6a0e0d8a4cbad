#include "conformance/rules/page/operation.h"

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

}  // namespace

CheckedOperations::CheckedOperations(const Trace& trace) {
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> built;
  // Index of the latest that has ended with a packet, and of the latest without one, by operation;
  // kNone: nobody saw it built.
  std::uint32_t current = kNone;
  ScratchMap<std::uint32_t, std::uint32_t> at_build;
  const auto paging = static_cast<std::uint32_t>(MemoryCause::Paging);
  for (const std::uint32_t index :
       trace.of_any<ev::PagingBuilt, ev::PagingDone, ev::MemoryChecked, ev::MemoryDiffers>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PagingBuilt) {
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
      operations_.push_back({.done = done, .arguments = arguments.front(), .built = found->second});
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

}  // namespace wddm::page
