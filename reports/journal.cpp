#include "reports/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/text_file.h"
#include "conformance/harness/judge/wire.h"

namespace wddm::reports {
namespace {

using harness::complaint;

constexpr std::chrono::milliseconds kSyncInterval{500};
// Every failing run puts its trace into it, of a MiB at most.
constexpr std::size_t kMostMib = 1024;
constexpr const char* kFormat = "wddmcheck-journal-1";

// Positions in the records' lists of rules mean something only for this list.
std::vector<std::string> clause_ids() {
  std::vector<std::string> ids;
  for (const Rule* rule : all_rules()) ids.emplace_back(rule->id);
  return ids;
}

nlohmann::json head_json(const JournalHead& head) {
  std::vector<std::string> names;
  bool by_clause = false;
  for (const harness::Configuration& one : head.configurations) {
    names.push_back(one.name);
    by_clause |= one.of_clauses.has_value();
  }
  return {{"journal", kFormat},
          {"version", head.version},
          {"driver", head.subject.driver},
          {"device", head.subject.device},
          {"client", head.subject.client},
          {"inf", head.subject.inf},
          {"configurations", names},
          {"by_clause", by_clause},
          {"selected", head.selected},
          {"excluded", head.excluded},
          {"played_in", harness::name_of(head.played)},
          {"clauses", clause_ids()}};
}

bool read_head(const std::string& line, JournalHead& head, std::string& error) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  try {
    if (json.is_discarded() || json.at("journal") != kFormat) {
      error = fmt::format("no journal; expected {}", kFormat);
      return false;
    }
    if (json.at("clauses").get<std::vector<std::string>>() != clause_ids()) {
      error = "written by a wddmcheck with other clauses; read it with that one";
      return false;
    }
    json.at("version").get_to(head.version);
    json.at("driver").get_to(head.subject.driver);
    json.at("device").get_to(head.subject.device);
    json.at("client").get_to(head.subject.client);
    head.subject.inf = json.value("inf", "");
    json.at("selected").get_to(head.selected);
    json.at("excluded").get_to(head.excluded);
    if (json.value("in_first", false)) head.played = harness::PlayedIn::First;  // an older one
    for (const auto played : {harness::PlayedIn::Apart, harness::PlayedIn::First}) {
      if (json.value("played_in", "") == harness::name_of(played)) head.played = played;
    }
    if (json.value("by_clause", false)) {
      head.configurations = harness::default_configurations(true);
      return true;
    }
    for (const std::string& name : json.at("configurations").get<std::vector<std::string>>()) {
      harness::Configuration configuration;
      if (!parse_configuration(name, configuration, error, harness::SettingNames::Any)) return false;
      head.configurations.push_back(std::move(configuration));
    }
  } catch (const nlohmann::json::exception& problem) {
    error = problem.what();
    return false;
  }
  return true;
}

bool same(const harness::RunSpec& a, const harness::RunSpec& b) {
  return a.rule == b.rule && a.which == b.which && a.configuration == b.configuration &&
         a.number == b.number;
}

// One line after the head.
bool read_line(const std::string& line, JournalContents& contents) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  harness::RunSpec begun;
  if (!json.is_discarded() && json.is_object() && json.contains("begun")) {
    if (!harness::spec_from_line(line, begun)) return false;
    contents.unfinished.push_back(begun);
    return true;
  }
  harness::RunRecord record;
  if (!harness::record_from_line(line, record)) return false;
  if (record.spec.configuration >= contents.head.configurations.size()) return false;
  std::erase_if(contents.unfinished,
                [&](const harness::RunSpec& spec) { return same(spec, record.spec); });
  contents.ended.push_back(std::move(record));
  return true;
}

}  // namespace

Journal::~Journal() {
  if (file_ < 0) return;
  ::fdatasync(file_);
  ::close(file_);
}

bool Journal::open(const std::string& folder, const JournalHead& head, std::string& error) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  const std::string path = folder + "/journal.jsonl";
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) {
    error = fmt::format("{}: cannot be written: {}; name another folder with --output", path,
                        std::strerror(errno));
    return false;
  }
  // Paths are what bytes the user gave.
  append(head_json(head).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  error = problem_;
  return problem_.empty();
}

void Journal::begun(const harness::RunSpec& spec) {
  append(harness::spec_to_line(spec));
}

void Journal::ended(const harness::RunRecord& record) {
  append(harness::record_to_line(record));
}

void Journal::append(std::string line) {
  if (file_ < 0) return;
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t wrote = ::write(file_, rest.data(), rest.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      if (problem_.empty()) problem_ = fmt::format("journal: {}", std::strerror(errno));
      return;
    }
    rest.remove_prefix(static_cast<std::size_t>(wrote));
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ < kSyncInterval) return;
  ::fdatasync(file_);
  synced_ = now;
}

bool read_journal(const std::string& path, JournalContents& contents, std::string& error) {
  std::string text;
  if (!harness::read_text_file(path, text, error, kMostMib)) return false;
  // Without its newline, a line was cut by whatever ended the runner.
  const std::size_t end = text.rfind('\n');
  text.resize(end == std::string::npos ? 0 : end + 1);
  const std::vector<harness::Line> lines = harness::meaningful_lines(text);
  if (lines.empty()) {
    error = complaint(path, 1, "an empty journal");
    return false;
  }
  std::string problem;
  if (!read_head(lines[0].text, contents.head, problem)) {
    error = complaint(path, lines[0].number, problem);
    return false;
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (read_line(lines[i].text, contents)) continue;
    error = complaint(path, lines[i].number, "not a line of a journal");
    return false;
  }
  return true;
}

std::vector<harness::RunRecord> in_order(std::span<const harness::RunSpec> plan,
                                         const JournalContents& contents) {
  std::vector<harness::RunRecord> records;
  for (const harness::RunSpec& spec : plan) {
    const auto found =
        std::find_if(contents.ended.begin(), contents.ended.end(),
                     [&spec](const harness::RunRecord& record) { return same(record.spec, spec); });
    harness::RunRecord record;
    if (found != contents.ended.end()) record = *found;
    record.spec = spec;
    records.push_back(std::move(record));
  }
  // What was planned of the corpus stands nowhere else.
  const auto of_corpus = static_cast<std::ptrdiff_t>(records.size());
  for (const harness::RunRecord& record : contents.ended) {
    if (record.spec.rule == nullptr) records.push_back(record);
  }
  for (const harness::RunSpec& spec : contents.unfinished) {
    if (spec.rule == nullptr) records.push_back({spec, {}});
  }
  std::stable_sort(records.begin() + of_corpus, records.end(), [](const auto& a, const auto& b) {
    return a.spec.number < b.spec.number;
  });
  return records;
}

}  // namespace wddm::reports
