#include "conformance/harness/suite/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

#include "conformance/harness/judge/findings.h"
#include "conformance/harness/suite/baseline_yaml.h"
#include "conformance/harness/suite/selection.h"
#include "conformance/harness/suite/text_file.h"

namespace wddm::harness {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (std::count_if(text.begin(), text.end(), is_digit) != 8) return false;
  const auto number = [text](std::size_t start, std::size_t length) {
    unsigned value = 0;
    std::from_chars(text.data() + start, text.data() + start + length, value);
    return value;
  };
  const std::chrono::year year{static_cast<int>(number(0, 4))};
  return (year / std::chrono::month{number(5, 2)} / std::chrono::day{number(8, 2)}).ok();
}

bool describes_failure(ResultKind kind) {
  return kind == ResultKind::Fail || kind == ResultKind::Crash || kind == ResultKind::Hang ||
         kind == ResultKind::Timeout || kind == ResultKind::Flake;
}

// "HANG", "CRASH-SIGSEGV-in-DxgkDdiPatch": how a run ended, as fuzzing calls it.
bool is_end(std::string_view name) {
  if (name == kStart) return true;
  const std::string_view word = name.substr(0, name.find('-'));
  for (std::size_t kind = 0; kind <= static_cast<std::size_t>(OutcomeKind::NotRun); ++kind) {
    const std::string_view fired = fired_word(static_cast<OutcomeKind>(kind));
    const bool ours = static_cast<OutcomeKind>(kind) == OutcomeKind::Harness;
    if (!ours && !word.empty() && word == fired) return true;
  }
  return false;
}

// One entry in either form. Null if it excuses nothing (a Pass in a failures.csv, say).
std::optional<Expectation> understand(const BaselineEntry& entry, const std::string& path,
                                      std::string& error) {
  const auto complain = [&](std::string_view what) {
    error = complaint(path, entry.line, what);
    return std::nullopt;
  };
  Expectation expectation;
  const std::string end(name_of_kind(entry.test));
  expectation.id = is_end(end) ? end : id_named(entry.test);
  expectation.reason = entry.reason;
  expectation.link = entry.link;
  expectation.owner = entry.owner;
  expectation.expires = entry.expires;
  expectation.place = entry.place;
  expectation.file = path;
  expectation.line = entry.line;
  if (entry.test.empty()) return complain("no test is named");
  if (expectation.id.empty()) {
    return complain(fmt::format("no clause is called '{}'; see wddmcheck list", entry.test));
  }
  const auto result = result_kind_of(entry.result);
  if (!result) {
    return complain(fmt::format("'{}' is no result; expected Fail, Crash, Hang, Timeout or Flake",
                                entry.result));
  }
  expectation.result = *result == ResultKind::ExpectedFail ? ResultKind::Fail : *result;
  if (!entry.expires.empty() && !is_date(entry.expires)) {
    return complain(fmt::format("'{}' is no date; expected YYYY-MM-DD", entry.expires));
  }
  return expectation;
}

bool parse_lines(const std::string& text, const std::string& path,
                 std::vector<BaselineEntry>& entries, std::string& error) {
  for (const Line& line : meaningful_lines(text)) {
    if (std::count(line.text.begin(), line.text.end(), '"') % 2 != 0) {
      error = complaint(path, line.number, "a quote is not closed");
      return false;
    }
    const std::vector<std::string> fields = split_csv(line.text);
    if (fields.size() < 2) {
      error = complaint(path, line.number,
                        fmt::format("'{}' has no result; expected TEST,RESULT", line.text));
      return false;
    }
    if (fields.size() > 7) {
      error = complaint(path, line.number,
                        "too many fields; expected TEST,RESULT,REASON,LINK,OWNER,EXPIRES,PLACE");
      return false;
    }
    BaselineEntry entry;
    entry.line = line.number;
    entry.test = fields[0];
    entry.result = fields[1];
    std::string* const rest[] = {&entry.reason, &entry.link, &entry.owner, &entry.expires,
                                 &entry.place};
    for (std::size_t i = 2; i < fields.size(); ++i) *rest[i - 2] = fields[i];
    entries.push_back(std::move(entry));
  }
  return true;
}

const Pattern* first_match(const std::vector<Pattern>& patterns, std::string_view id) {
  const auto found = std::find_if(patterns.begin(), patterns.end(), [id](const Pattern& pattern) {
    return pattern.expression.matches(id);
  });
  return found == patterns.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> split_csv(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];  // a doubled quote stands for one
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  for (std::string& field : fields) field = trimmed(field);
  return fields;
}

const Expectation* Expectations::of(std::string_view id) const {
  const auto found = std::find_if(baseline.begin(), baseline.end(),
                                  [id](const Expectation& entry) { return entry.id == id; });
  return found == baseline.end() ? nullptr : &*found;
}

const Expectation* Expectations::of(std::string_view id,
                                    std::span<const std::string> places) const {
  const Expectation* first = places.empty() ? of(id) : nullptr;
  for (const std::string& place : places) {
    const auto found =
        std::find_if(baseline.begin(), baseline.end(), [&](const Expectation& entry) {
          return entry.id == id && (entry.place.empty() || entry.place == place);
        });
    if (found == baseline.end()) return nullptr;
    if (first == nullptr) first = &*found;
  }
  return first;
}

bool Expectations::has_crash_at(std::string_view place) const {
  return !place.empty() &&
         std::any_of(baseline.begin(), baseline.end(), [place](const Expectation& entry) {
           const bool is_crash = entry.result == ResultKind::Crash || entry.id == kCrashFinding;
           return is_crash && entry.place == place;
         });
}

const Pattern* Expectations::skip_of(std::string_view id) const {
  return first_match(skips, id);
}
const Pattern* Expectations::flake_of(std::string_view id) const {
  return first_match(flakes, id);
}

bool read_baseline(const std::string& path, const std::string& today, Expectations& expectations,
                   std::vector<std::string>& expired, std::string& error) {
  std::string text;
  if (!read_text_file(path, text, error)) return false;
  std::vector<BaselineEntry> entries;
  const bool yaml = ends_with(path, ".yaml") || ends_with(path, ".yml");
  if (yaml ? !parse_baseline_yaml(text, path, entries, error)
           : !parse_lines(text, path, entries, error)) {
    return false;
  }
  for (const BaselineEntry& entry : entries) {
    std::optional<Expectation> expectation = understand(entry, path, error);
    if (!expectation) return false;
    if (!describes_failure(expectation->result)) continue;
    if (!expectation->expires.empty() && expectation->expires <= today) {
      expired.push_back(complaint(
          path, entry.line,
          fmt::format("the entry of {} expired on {}", expectation->id, expectation->expires)));
      continue;
    }
    const Expectation* const earlier = expectations.of(expectation->id);
    // What is met at several places may be chance at one of them; a clause comes to one thing.
    const bool one_thing = earlier != nullptr && (earlier->place == expectation->place ||
                                                  find_rule(expectation->id) != nullptr);
    if (one_thing && earlier->result != expectation->result) {
      error = complaint(path, entry.line,
                        fmt::format("{} has another result at {}:{}", expectation->id,
                                    earlier->file, earlier->line));
      return false;
    }
    expectations.baseline.push_back(std::move(*expectation));
  }
  return true;
}

bool read_patterns(const std::string& path, std::vector<Pattern>& patterns, std::string& error) {
  std::string text;
  if (!read_text_file(path, text, error)) return false;
  for (const Line& line : meaningful_lines(text)) {
    Pattern pattern{.expression = {}, .text = line.text, .file = path, .line = line.number};
    std::string problem;
    if (!pattern.expression.compile(line.text, problem)) {
      error = complaint(path, line.number, problem);
      return false;
    }
    patterns.push_back(std::move(pattern));
  }
  return true;
}

}  // namespace wddm::harness
