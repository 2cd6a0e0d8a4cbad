#include "conformance/harness/judge/provocation.h"

#include <algorithm>

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

// Whether an event is in a call of Escape, with other data than its client sends.
bool is_in_hostile_escape(const Trace& trace, std::uint32_t event) {
  const auto sent = trace.of<ev::EscapeSent>();
  const auto behind = std::upper_bound(sent.begin(), sent.end(), event);
  if (behind == sent.begin()) return false;
  const std::uint32_t last = *(behind - 1);
  if (static_cast<EscapeData>(trace.at<ev::EscapeSent>(last).data) == EscapeData::Client) {
    return false;
  }
  const auto answers = trace.of<ev::EscapeAnswered>();
  const auto answer = std::upper_bound(answers.begin(), answers.end(), last);
  return answer == answers.end() || event < *answer;
}

}  // namespace

void note_provocation(const Trace& trace, std::span<Failure> failures) {
  if (failures.empty()) return;
  const Provocation first = first_in(trace);
  for (Failure& failure : failures) {
    if (failure.event >= first.event) {
      failure.provoked = first.what;
    } else if (is_in_hostile_escape(trace, failure.event)) {
      failure.provoked = fmt::format("op {}: an escape, whose data any process sends", failure.op);
    }
  }
}

}  // namespace wddm::harness
