#include "conformance/harness/judge/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "conformance/harness/judge/findings.h"
#include "reference/trace/text.h"

namespace wddm::harness {
namespace {

// Events before the failing one that are shown when a check names none.
constexpr std::size_t kContextEvents = 4;
// Behind the text of an op.
constexpr std::string_view kBringUp = "  # while the adapter is brought up";

std::vector<std::uint32_t> context_of(const Trace& trace, std::uint32_t event) {
  std::vector<std::uint32_t> context;
  const std::uint16_t op = trace.events()[event].op;
  for (std::uint32_t i = event; i-- > 0 && context.size() < kContextEvents;) {
    if (trace.events()[i].op != op) break;
    context.push_back(i);
  }
  std::reverse(context.begin(), context.end());
  return context;
}

// Continuation lines are indented so that they can't be taken for another key.
void add_block(std::string& text, std::string_view key, std::string_view value) {
  std::string indented;
  for (const char c : value) {
    indented += c;
    if (c == '\n') indented += "            ";
  }
  fmt::format_to(std::back_inserter(text), "  {:<9} {}\n", key, indented);
}

std::string place_of_op(const Failure& failure) {
  if (failure.op == kNoOp) return "outside of ops (bring-up or tear-down)";
  std::string text = fmt::format("{}  {}", failure.op, failure.op_text);
  if (failure.line != 0) text += fmt::format("  (line {})", failure.line);
  return text;
}

// The first op brings the adapter up, whatever it is.
bool is_before_running(const Trace& trace, std::uint32_t event) {
  const std::span<const std::uint32_t> running = trace.of<ev::Running>();
  return running.empty() || event < running.front();
}

std::string behind_provocation(const Failure& failure) {
  return failure.provoked.empty() ? std::string() : fmt::format("; behind {}", failure.provoked);
}

std::string not_kept(std::uint32_t index) {
  return fmt::format("#{} (not kept)", index);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    std::size_t length = 1;
    if (byte == '\n' || byte == '\t' || (byte >= 0x20 && byte < 0x7f)) {
      clean += text.front();
    } else if (byte >= 0x80 && (length = text::utf8_length(text)) > 1 &&
               !(byte == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0)) {
      clean += text.substr(0, length);
    } else {
      length = 1;
      fmt::format_to(std::back_inserter(clean), "\\x{:02x}", byte);
    }
    text.remove_prefix(length);
  }
  return clean;
}

Failure locate(const Trace& trace, const Scenario& scenario, std::uint32_t event,
               std::span<const std::uint32_t> because) {
  Failure failure;
  failure.event = event;
  failure.op = kNoOp;
  // A check that names an event that isn't there is a defect of ours, but no reason to lose the
  // rest.
  if (event >= trace.events().size()) return failure;
  failure.op = trace.events()[event].op;
  if (failure.op < scenario.ops.size()) {
    failure.op_text = print_op(scenario.ops[failure.op]);
    if (is_before_running(trace, event)) failure.op_text += kBringUp;
  }
  if (failure.op < scenario.lines.size()) failure.line = scenario.lines[failure.op];

  std::vector<std::uint32_t> chain(because.begin(), because.end());
  if (chain.empty()) chain = context_of(trace, event);
  if (chain.empty() || chain.back() != event) chain.push_back(event);
  for (const std::uint32_t index : chain) {
    if (index < trace.events().size()) failure.chain.push_back(index);
  }
  return failure;
}

std::vector<std::string> chain_of(const Failure& failure, const Trace& trace) {
  std::vector<std::string> lines;
  for (const std::uint32_t index : failure.chain) {
    lines.push_back(index < trace.events().size() ? print_event(trace, index) : not_kept(index));
  }
  return lines;
}

std::vector<std::string> chain_of(const Failure& failure, const StoredTrace& stored) {
  std::vector<std::string> lines;
  for (const std::uint32_t index : failure.chain) {
    lines.push_back(stored.line(index).value_or(not_kept(index)));
  }
  return lines;
}

std::string print_verdict(const Failure& failure, const Rule* rule, const VerdictPlace& place,
                          std::span<const std::string> chain) {
  std::string text = fmt::format("{} does not hold", failure.id);
  if (rule) text += fmt::format(": {}", rule->title);
  text += '\n';
  if (!place.scenario.empty()) add_block(text, "in", place.scenario);
  if (!place.configuration.empty()) add_block(text, "settings", place.configuration);
  add_block(text, "op", place_of_op(failure));
  if (!failure.expected.empty()) add_block(text, "expected", failure.expected);
  if (!failure.seen.empty()) add_block(text, "seen", failure.seen);
  if (!failure.provoked.empty()) add_block(text, "behind", failure.provoked);
  if (failure.more > 0) add_block(text, "more", fmt::format("{} further times", failure.more));
  for (std::size_t i = 0; i < chain.size(); ++i) {
    add_block(text, i == 0 ? "events" : "", chain[i]);
  }
  if (rule) {
    add_block(text, "rule", rule->rule);
    add_block(text, "sources", rule->sources);
    if (rule->note[0]) add_block(text, "note", rule->note);
    add_block(text, "evidence", evidence_of(*rule, place.has_device_log));
  }
  if (!place.again.empty()) add_block(text, "again", place.again);
  return text;
}

std::string summary_of(const Failure& failure) {
  std::string text = failure.id;
  if (failure.op != kNoOp) text += fmt::format(" op {}", failure.op);
  if (!failure.expected.empty()) text += fmt::format(": expected {}", failure.expected);
  if (!failure.seen.empty()) text += fmt::format("; seen {}", failure.seen);
  text += behind_provocation(failure);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string op_of_end(const RunOutcome& run) {
  const Failure& end = run.judged.broken_off;
  if (end.event == kNone) return {};
  if (end.op == kNoOp) return "outside of ops";
  const bool brings_up = end.op_text.ends_with(kBringUp);
  const std::string name =
      brings_up ? "bring-up" : end.op_text.substr(0, end.op_text.find_first_of(": "));
  return name.empty() ? fmt::format("op {}", end.op) : fmt::format("op {} ({})", end.op, name);
}

std::string summary_of_end(const RunOutcome& run) {
  const std::string op = op_of_end(run);
  return (op.empty() ? run.outcome.about : op + ": " + run.outcome.about) +
         behind_provocation(run.judged.broken_off);
}

const char* name_of(Evidence evidence) {
  switch (evidence) {
    case Evidence::Boundary:
      return "boundary";
    case Evidence::Memory:
      return "memory";
    case Evidence::DeviceLog:
      return "device log";
  }
  return "?";
}

const char* evidence_of(const Rule& rule, bool has_device_log) {
  if (rule.evidence == Evidence::DeviceLog && !has_device_log) return "boundary and memory";
  return name_of(rule.evidence);
}

const char* name_of(Grade grade) {
  switch (grade) {
    case Grade::Documented:
      return "documented";
    case Grade::UndocumentedReliance:
      return "undocumented reliance";
    case Grade::Robustness:
      return "robustness against untrusted input";
  }
  return "?";
}

const char* name_of(Level level) {
  return level == Level::Must ? "must" : "should";
}
const char* name_of(Binds binds) {
  switch (binds) {
    case Binds::Driver:
      return "driver";
    case Binds::Os:
      return "os";
    case Binds::Client:
      return "client";
  }
  return "?";
}

const char* name_of(FaultSeat seat) {
  switch (seat) {
    case FaultSeat::Boundary:
      return "boundary";
    case FaultSeat::Oracle:
      return "oracle";
    case FaultSeat::Variant:
      return "variant of the reference driver";
    case FaultSeat::Device:
      return "device";
  }
  return "?";
}

}  // namespace wddm::harness
