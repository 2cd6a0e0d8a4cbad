#include "conformance/harness/judge/provocation.h"

#include <fmt/format.h>

#include "conformance/rules/render/asked_by_contexts.h"
#include "conformance/rules/scratch.h"

namespace wddm::harness {
namespace {

struct Provocation {
  std::uint32_t event = kNone;
  std::string what;
};

Provocation first_in(const Trace& trace) {
  const ScratchScope scratch;
  render::AskedByContexts asked;
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::ContextCreated, ev::RenderCalled>()) {
    const Event& event = trace.events()[index];
    asked.follow(trace, index);
    if (event.kind == EventKind::OpStarted) {
      const OpInfo* const op = op_info(static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind));
      if (op == nullptr || !op->is(OpRole::Hostile)) continue;
      return {index, fmt::format("op {} ({}): hostile user mode", event.op, op->name)};
    } else if (event.kind == EventKind::RenderCalled) {
      const auto called = Trace::as<ev::RenderCalled>(event);
      if (called.hostile != 0) return {index, fmt::format("op {}: hostile user mode", event.op)};
      if (asked.more_than(called)) {
        return {index, fmt::format("op {}: less room than DXGK_CONTEXTINFO asks for", event.op)};
      }
    }
  }
  return {};
}

}  // namespace

void note_provocation(const Trace& trace, std::span<Failure> failures) {
  if (failures.empty()) return;
  const Provocation first = first_in(trace);
  for (Failure& failure : failures) {
    if (failure.event >= first.event) failure.provoked = first.what;
  }
}

}  // namespace wddm::harness
