#include "conformance/harness/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <iterator>

#include "conformance/harness/judge/bring_up.h"
#include "conformance/harness/judge/findings.h"
#include "conformance/harness/judge/obstacles.h"
#include "conformance/harness/judge/provocation.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/trace_file.h"

namespace wddm::harness {
namespace {

void judge_rule(const Rule& rule, const Trace& trace, const Scenario& scenario, Judged& judged) {
  RuleOutcome& outcome = judged.rules.emplace_back();
  if (const NotApplicable reason = rule.applies(judged.platform)) {
    outcome.not_applicable = reason;
    return;
  }
  Judgement judgement;
  try {
    const ScratchScope scratch;
    rule.check(trace, judged.platform, judgement);
  } catch (const std::exception& error) {
    judged.harness.push_back(fmt::format("the check of {} threw: {}", rule.id, error.what()));
    return;
  } catch (...) {
    judged.harness.push_back(fmt::format("the check of {} threw something", rule.id));
    return;
  }
  outcome.reached = judgement.times_reached();
  if (judgement.failures().empty()) return;
  // A check may look at one thing after the other: what happened first is what it says.
  const Judgement::Failure& first =
      *std::min_element(judgement.failures().begin(), judgement.failures().end(),
                        [](const auto& one, const auto& other) { return one.event < other.event; });
  if (first.event >= trace.events().size()) {
    judged.harness.push_back(
        fmt::format("the check of {} names an event that isn't there", rule.id));
  }
  Failure failure = locate(trace, scenario, first.event, first.because);
  failure.id = rule.id;
  failure.expected = printable(first.expected);
  failure.seen = printable(first.seen);
  failure.more = static_cast<std::uint32_t>(judgement.failures().size() - 1);
  judged.failures.push_back(std::move(failure));
}

// What failures are explained by is kept first.
std::string kept(const Trace& trace, const Judged& judged, KeepTrace keep) {
  if (keep == KeepTrace::Whole) return trace_file(trace, {}, kWholeTrace);
  const bool quiet = judged.failures.empty() && judged.ended;
  if (keep == KeepTrace::Never || quiet) return {};
  std::vector<std::uint32_t> named;
  for (const Failure& failure : judged.failures)
    named.insert(named.end(), failure.chain.begin(), failure.chain.end());
  return trace_file(trace, named);
}

void note_the_end(const Trace& trace, Judged& judged) {
  judged.events = static_cast<std::uint32_t>(trace.events().size());
  judged.truncated = trace.truncated();
  judged.ended = !trace.of<ev::Ended>().empty();
  const auto first = [&trace](EventKind kind) -> const Event* {
    return trace.of(kind).empty() ? nullptr : &trace.events()[trace.of(kind).front()];
  };
  // A crash says more than the hang or bug check that may follow from it, so it comes last.
  if (const Event* hung = first(EventKind::Hung)) {
    judged.hung = true;
    judged.stopped = fmt::format("it hangs: {}", printable(trace.blob_text(*hung)));
  }
  if (const Event* event = first(EventKind::BugChecked)) {
    const auto bug_check = Trace::as<ev::BugChecked>(*event);
    judged.bug_checked = true;
    judged.stopped =
        fmt::format("KeBugCheckEx(0x{:x}, 0x{:x}, 0x{:x}, 0x{:x}, 0x{:x})", bug_check.code,
                    bug_check.p1, bug_check.p2, bug_check.p3, bug_check.p4);
  }
  if (const Event* crashed = first(EventKind::Crashed)) {
    judged.crashed = true;
    judged.stopped = printable(trace.blob_text(*crashed));
  }
}

std::size_t payload_bytes(EventKind kind) {
  std::size_t bytes = 0;
  for (const EventField& field : event_info(kind).fields) {
    bytes = std::max<std::size_t>(bytes, field.offset + field.size);
  }
  // A structure may end with padding, which holds anything.
  return std::min((bytes + 7) / 8 * 8, kPayloadInEvent);
}

std::array<std::size_t, kEventKinds> payload_bytes_of_all() {
  std::array<std::size_t, kEventKinds> all{};
  for (std::size_t kind = 1; kind < kEventKinds; ++kind) {
    all[kind] = payload_bytes(static_cast<EventKind>(kind));
  }
  return all;
}

bool sound_event(const Event& event, std::uint32_t& blobs_end) {
  static const std::array<std::size_t, kEventKinds> used = payload_bytes_of_all();
  static constexpr std::byte kZeros[sizeof(Event::payload)]{};
  const auto kind = static_cast<std::size_t>(event.kind);
  if (kind == 0 || kind >= kEventKinds || event.irql > 31) return false;
  const std::size_t unused = sizeof(event.payload) - used[kind];
  if (std::memcmp(event.payload + used[kind], kZeros, unused) != 0) return false;
  if (event.blob_length < payload_tail_of(event.kind)) return false;
  if (event.blob_length == 0) return event.blob_offset == 0;
  // Blobs follow each other in the order of their events.
  if (event.blob_offset < blobs_end) return false;
  blobs_end = event.blob_offset + event.blob_length;
  return blobs_end >= event.blob_offset;
}

}  // namespace

bool sound(const void* storage, std::uint32_t events, std::uint32_t blobs) {
  const auto& head = *static_cast<const TraceStorage*>(storage);
  const std::uint32_t count = head.events.load(std::memory_order_acquire);
  if (head.event_capacity != events || head.blob_capacity != blobs) return false;
  if (count > events || head.blob_bytes > blobs) return false;
  const std::span<const Event> written(reinterpret_cast<const Event*>(&head + 1), count);
  std::uint32_t blobs_end = 0;
  for (const Event& event : written) {
    if (!sound_event(event, blobs_end)) return false;
  }
  return blobs_end <= head.blob_bytes;
}

Judged scribbled() {
  Judged judged;
  judged.scribbled = true;
  judged.done = true;
  return judged;
}

Judged judge(const Trace& trace, const Platform& platform, const Scenario& scenario,
             const JudgeOptions& options) {
  Judged judged;
  judged.platform = platform;
  note_the_end(trace, judged);
  note_bring_up(trace, judged);
  judged.obstacles = obstacles_in(trace);
  for (const Rule* rule : all_rules()) {
    if (options.about_to_judge) options.about_to_judge(options.context, rule->id);
    judge_rule(*rule, trace, scenario, judged);
  }
  std::vector<Failure> findings = findings_in(trace, scenario);
  note_provocation(trace, findings);
  std::move(findings.begin(), findings.end(), std::back_inserter(judged.failures));
  if (!judged.ended && judged.events != 0) {
    judged.broken_off = locate(trace, scenario, judged.events - 1, {});
    note_provocation(trace, {&judged.broken_off, 1});
  }
  judged.trace = kept(trace, judged, options.keep);
  judged.done = true;
  return judged;
}

Judged judge_storage(const void* storage, std::uint32_t events, std::uint32_t blobs,
                     const Scenario& scenario, const JudgeOptions& options) {
  if (!sound(storage, events, blobs)) return scribbled();
  const Trace trace(storage, events, blobs);
  Judged judged = judge(trace, platform_of(trace), scenario, options);
  judged.decisions = decisions_in(trace);
  return judged;
}

}  // namespace wddm::harness
