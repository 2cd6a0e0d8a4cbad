#include "conformance/rules/page/operation.h"

namespace wddm::page {
namespace {

// Cause and object of MemoryChecked or MemoryDiffers.
std::pair<std::uint32_t, std::uint32_t> cause_of(const Event& event) {
  if (event.kind == EventKind::MemoryChecked) {
    const auto checked = Trace::as<ev::MemoryChecked>(event);
    return {checked.cause, checked.object};
  }
  const auto differs = Trace::as<ev::MemoryDiffers>(event);
  return {differs.cause, differs.cause_object};
}

}  // namespace

CheckedOperations::CheckedOperations(const Trace& trace) {
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> built;
  const CheckedOperation* current = nullptr;  // null: nobody saw it built
  const auto paging = static_cast<std::uint32_t>(MemoryCause::Paging);
  for (const std::uint32_t index :
       trace.of_any<ev::PagingBuilt, ev::PagingDone, ev::MemoryChecked, ev::MemoryDiffers>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PagingBuilt) {
      const auto call = Trace::as<ev::PagingBuilt>(event);
      built[{call.operation, call.allocation}] = index;
    } else if (event.kind == EventKind::PagingDone) {
      const auto done = Trace::as<ev::PagingDone>(event);
      current = nullptr;
      const auto found = built.find({done.operation, done.allocation});
      if (found == built.end()) continue;
      const auto arguments = trace.blob<PagingArguments>(trace.events()[found->second]);
      if (arguments.empty()) continue;
      current = &operations_.emplace_back(
          CheckedOperation{.done = done, .arguments = arguments.front(), .built = found->second});
    } else if (current != nullptr) {
      const auto [cause, object] = cause_of(event);
      if (cause != paging || object != current->done.packet) continue;
      found_.push_back({index, static_cast<std::uint32_t>(operations_.size() - 1)});
    }
  }
}

}  // namespace wddm::page
