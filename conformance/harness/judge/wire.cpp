#include "conformance/harness/judge/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/harness/judge/base64.h"
#include "conformance/harness/suite/scenario_book.h"
#include "reference/trace/names.h"

// A bitset has no namespace of ours to be found in.
template <>
struct nlohmann::adl_serializer<wddm::harness::DecisionSet> {
  static void to_json(nlohmann::json& json, const wddm::harness::DecisionSet& decisions) {
    json = wddm::harness::names_of(decisions);
  }
  static void from_json(const nlohmann::json& json, wddm::harness::DecisionSet& decisions) {
    decisions = wddm::harness::decisions_named(json.get<std::vector<std::string>>());
  }
};

namespace {

std::string_view kept_for_ever(const std::string& text) {
  static std::set<std::string> texts;
  return *texts.insert(text).first;
}

constexpr std::string_view kAskTheClause = "not applicable";

}  // namespace

// Times reached, one behind the other; -1 of a clause that does not apply to the platform: the
// reason is the clause's to say, and is the same whoever asks it. As one text: there is one for
// each run of a driver, and an array takes many times as long to write and read. Older journals
// have arrays, the oldest with reasons.
template <>
struct nlohmann::adl_serializer<std::vector<wddm::harness::RuleOutcome>> {
  using Rules = std::vector<wddm::harness::RuleOutcome>;

  static void to_json(nlohmann::json& json, const Rules& rules) {
    std::string text;
    for (const auto& rule : rules) {
      fmt::format_to(std::back_inserter(text), "{} ",
                     rule.not_applicable.empty() ? std::int64_t{rule.reached} : -1);
    }
    json = std::move(text);
  }
  static void read_text(std::string_view text, Rules& rules) {
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::int64_t number = 0; at != end; ++at) {
      const auto read = std::from_chars(at, end, number);
      if (read.ec != std::errc() || read.ptr == end) {
        throw nlohmann::json::other_error::create(501, "numbers of clauses", nullptr);
      }
      at = read.ptr;
      auto& rule = rules.emplace_back();
      if (number < 0) rule.not_applicable = kAskTheClause;
      if (number >= 0) rule.reached = static_cast<std::uint32_t>(number);
    }
  }
  static void from_json(const nlohmann::json& json, Rules& rules) {
    rules.clear();
    if (json.is_string()) return read_text(json.get_ref<const std::string&>(), rules);
    const bool has_reasons = json.is_object();
    const nlohmann::json& outcomes = has_reasons ? json.at("outcomes") : json;
    rules.reserve(outcomes.size());
    for (const nlohmann::json& outcome : outcomes) {
      auto& rule = rules.emplace_back();
      if (outcome.is_string()) {
        rule.not_applicable = kept_for_ever(outcome.get_ref<const std::string&>());
        continue;
      }
      const auto number = outcome.get<std::int64_t>();
      if (number >= 0) {
        rule.reached = static_cast<std::uint32_t>(number);
      } else if (has_reasons) {
        const nlohmann::json& text = json.at("reasons").at(static_cast<std::size_t>(-1 - number));
        rule.not_applicable = kept_for_ever(text.get_ref<const std::string&>());
      } else {
        rule.not_applicable = kAskTheClause;
      }
    }
  }
};

// Found by argument-dependent lookup, so these stand in the namespaces of their types.
namespace wddm {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SchedulingCaps, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuMmuCaps, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SegmentFlags, value)

// By their names: numbers of entry points are ours alone.
void to_json(nlohmann::json& json, const AbsentDdis& absent) {
  json = nlohmann::json::array();
  for (std::uint32_t id = 0; id < kDdis; ++id) {
    if (absent.value[id]) json.push_back(ddi_name(id));
  }
}
void from_json(const nlohmann::json& json, AbsentDdis& absent) {
  std::uint32_t id = 0;  // they stand in order: each is found right behind the one before
  for (const nlohmann::json& name : json) {
    const auto& wanted = name.get_ref<const std::string&>();
    for (std::uint32_t tried = 0; tried < kDdis && wanted != ddi_name(id); ++tried) {
      id = (id + 1) % kDdis;
    }
    if (wanted == ddi_name(id)) absent.value.set(id);
  }
}

void to_json(nlohmann::json& json, const PlatformSegment& segment) {
#define WDDM_SEGMENT_FIELDS
#define FIELD(type, name, about) json[#name] = segment.name;
#include "reference/platform.def"
#undef FIELD
}
void from_json(const nlohmann::json& json, PlatformSegment& segment) {
#define FIELD(type, name, about) json.at(#name).get_to(segment.name);
#include "reference/platform.def"
#undef FIELD
#undef WDDM_SEGMENT_FIELDS
}

// What is zero is left out: a journal says it for each run. What is known of a platform grows:
// journals written before still count.
void to_json(nlohmann::json& json, const Platform& platform) {
  json = nlohmann::json::object();
#define WDDM_PLATFORM_FIELDS
#define FIELD(type, name, about) \
  if (platform.name != type{}) json[#name] = platform.name;
#include "reference/platform.def"
#undef FIELD
}
void from_json(const nlohmann::json& json, Platform& platform) {
#define FIELD(type, name, about) platform.name = json.value(#name, type{});
#include "reference/platform.def"
#undef FIELD
#undef WDDM_PLATFORM_FIELDS
}

}  // namespace wddm

namespace wddm::harness {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Failure, id, event, op, line, more, op_text, expected, seen,
                                   provoked, chain)

// Without the trace, which is no text.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Judged, done, scribbled, truncated, ended, bug_checked, hung,
                                   crashed, version_refused, stopped, start_trouble, platform,
                                   rules, failures, harness, events, broken_off, obstacles,
                                   decisions)

namespace {

// False if a clause that is said not to apply is none of ours.
bool ask_clauses(Judged& judged) {
  for (std::size_t i = 0; i < judged.rules.size(); ++i) {
    RuleOutcome& outcome = judged.rules[i];
    if (outcome.not_applicable.data() != kAskTheClause.data()) continue;
    const NotApplicable reason =
        i < all_rules().size() ? all_rules()[i]->applies(judged.platform) : nullptr;
    if (reason == nullptr) return false;
    outcome.not_applicable = reason;
  }
  return true;
}

// By their names, so that a journal can be read by people.
template <class Kind>
bool kind_named(const std::string& name, Kind last, Kind& kind) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
    kind = static_cast<Kind>(i);
    if (name == name_of(kind)) return true;
  }
  return false;
}

std::string dumped(const nlohmann::json& json) {
  // Reasons and texts of rules could hold any bytes; a report must not fail on them.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Journals before traces were kept as bytes have the printed events of a chain: "#17 op=2 ...".
// Older ones do not say what provoked a failure either.
void renew_older_failures(nlohmann::json& judged) {
  for (nlohmann::json& failure : judged.at("failures")) {
    failure.emplace("provoked", "");
    for (nlohmann::json& link : failure.at("chain")) {
      if (!link.is_string()) continue;
      const std::string text = link.get<std::string>();
      std::uint32_t number = kNone;
      if (text.starts_with('#'))
        std::from_chars(text.data() + 1, text.data() + text.size(), number);
      link = number;
    }
  }
}

// Nor do older ones say where a trace breaks off, which ops came to nothing, and what the oracles
// decided.
void end_older_traces(nlohmann::json& judged) {
  if (!judged.contains("broken_off")) judged["broken_off"] = Judged{}.broken_off;
  judged["broken_off"].emplace("provoked", "");
  if (!judged.contains("obstacles")) judged["obstacles"] = nlohmann::json::array();
  if (!judged.contains("decisions")) judged["decisions"] = nlohmann::json::array();
}

// The corpus is no part of the program, so what was played of it stands here.
nlohmann::json owner_of(const RunSpec& spec) {
  nlohmann::json json = {{"case", name_of(spec.which)}, {"configuration", spec.configuration}};
  if (spec.rule != nullptr) {
    json["clause"] = spec.rule->id;
    return json;
  }
  const std::vector<std::uint8_t> bytes = encode(spec.corpus->ops);
  json["scenario"] = spec.corpus->name;
  json["ops"] = to_base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  json["number"] = spec.number;
  return json;
}

bool read_owner(const nlohmann::json& json, RunSpec& spec) {
  if (!kind_named(json.at("case").get<std::string>(), CaseKind::Corpus, spec.which)) return false;
  json.at("configuration").get_to(spec.configuration);
  if (spec.which != CaseKind::Corpus) {
    spec.rule = find_rule(json.at("clause").get<std::string>());
    return spec.rule != nullptr;
  }
  auto scenario = std::make_shared<Scenario>();
  json.at("scenario").get_to(scenario->name);
  json.at("number").get_to(spec.number);
  std::string bytes;
  if (!from_base64(json.at("ops").get<std::string>(), bytes)) return false;
  scenario->ops = decode({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  spec.corpus = std::move(scenario);
  return true;
}

void read_record(const nlohmann::json& json, RunRecord& record, bool& good) {
  const nlohmann::json& outcome = json.at("outcome");
  if (!read_owner(json, record.spec)) return;
  outcome.at("about").get_to(record.run.outcome.about);
  outcome.at("output").get_to(record.run.outcome.output);
  nlohmann::json judged = json.at("judged");
  renew_older_failures(judged);
  end_older_traces(judged);
  judged.get_to(record.run.judged);
  if (!ask_clauses(record.run.judged)) return;
  const bool has_trace = from_base64(json.value("trace", ""), record.run.judged.trace);
  json.at("replayed").get_to(record.run.replayed);
  json.at("flaky").get_to(record.run.flaky);
  json.at("flake_about").get_to(record.run.flake_about);
  json.at("milliseconds").get_to(record.run.milliseconds);
  good = has_trace && kind_named(outcome.at("kind").get<std::string>(), OutcomeKind::NotRun,
                                 record.run.outcome.kind);
}

}  // namespace

// The trace stands behind the line of JSON as it is.
std::string to_wire(const Judged& judged) {
  return dumped(judged) + '\n' + judged.trace;
}

bool from_wire(std::string_view bytes, Judged& judged) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return false;
  const nlohmann::json parsed = nlohmann::json::parse(bytes.substr(0, end), nullptr, false);
  if (parsed.is_discarded()) return false;
  try {
    parsed.get_to(judged);
    judged.trace = bytes.substr(end + 1);
    return ask_clauses(judged);
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

std::string record_to_line(const RunRecord& record) {
  const RunOutcome& run = record.run;
  nlohmann::json json = owner_of(record.spec);
  json.update({{"outcome",
                {{"kind", name_of(run.outcome.kind)},
                 {"about", run.outcome.about},
                 {"output", run.outcome.output}}},
               {"judged", run.judged},
               {"trace", to_base64(run.judged.trace)},
               {"replayed", run.replayed},
               {"flaky", run.flaky},
               {"flake_about", run.flake_about},
               {"milliseconds", run.milliseconds}});
  return dumped(json);
}

std::string spec_to_line(const RunSpec& spec) {
  nlohmann::json json = owner_of(spec);
  json.erase("clause");
  json["begun"] = owner_name(spec);
  return dumped(json);
}

bool spec_from_line(std::string_view line, RunSpec& spec) {
  const nlohmann::json parsed = nlohmann::json::parse(line, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("begun")) return false;
  try {
    nlohmann::json json = parsed;
    json.emplace("clause", parsed.at("begun"));
    return read_owner(json, spec);
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

bool record_from_line(std::string_view line, RunRecord& record) {
  const nlohmann::json parsed = nlohmann::json::parse(line, nullptr, false);
  if (parsed.is_discarded()) return false;
  bool good = false;
  try {
    read_record(parsed, record, good);
  } catch (const nlohmann::json::exception&) {
    return false;
  }
  return good;
}

}  // namespace wddm::harness
