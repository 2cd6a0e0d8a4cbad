#include "conformance/harness/suite/reproducer.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "conformance/harness/suite/text_file.h"
#include "conformance/harness/judge/verdict.h"
#include "reference/trace/text.h"

namespace wddm::harness {
namespace {

// Far below what a scenario's text may hold in one comment.
constexpr std::size_t kVerdictBytes = 16384;
constexpr std::size_t kLineBytes = 1000;

bool is_text(std::string_view contents) {
  while (!contents.empty()) {
    const auto byte = static_cast<unsigned char>(contents.front());
    const bool blank = byte == '\n' || byte == '\t' || byte == '\r';
    if (byte == 0x7f || (byte < 0x20 && !blank)) return false;
    const std::size_t length = text::utf8_length(contents);
    if (length == 0) return false;
    contents.remove_prefix(length);
  }
  return true;
}

// `ops`, perhaps in quotes, where a key may stand, and a colon behind it.
bool has_ops_key(std::string_view contents) {
  constexpr std::string_view kKey = "ops";
  for (std::size_t at = 0; (at = contents.find(kKey, at)) != contents.npos; ++at) {
    if (at > 0 && std::strchr("\n{,\"' \t", contents[at - 1]) == nullptr) continue;
    std::string_view behind = contents.substr(at + kKey.size());
    if (!behind.empty() && (behind[0] == '"' || behind[0] == '\'')) behind.remove_prefix(1);
    behind.remove_prefix(std::min(behind.find_first_not_of(" \t"), behind.size()));
    if (!behind.empty() && behind[0] == ':') return true;
  }
  return false;
}

}  // namespace

ScenarioForm form_of(std::string_view contents) {
  if (contents.starts_with(kByteOrderMark)) contents.remove_prefix(kByteOrderMark.size());
  return is_text(contents) && has_ops_key(contents) ? ScenarioForm::Yaml : ScenarioForm::Bytes;
}

bool read_reproducer(const std::string& path, Reproducer& out, std::string& error) {
  std::string contents;
  if (!read_text_file(path, contents, error)) return false;
  out = {};
  // Who names a file so wants to hear what is wrong with it as YAML.
  const bool named_so = path.ends_with(".yaml") || path.ends_with(".yml");
  out.form = named_so ? ScenarioForm::Yaml : form_of(contents);
  if (out.form == ScenarioForm::Bytes) {
    const std::vector<std::uint8_t> bytes(contents.begin(), contents.end());
    out.scenario.ops = decode(bytes);
    return true;
  }
  TextError problem;
  if (!parse_scenario(contents, path, out.scenario, problem)) {
    error = problem.message;
    return false;
  }
  out.record = read_record(contents);
  return true;
}

std::string print_reproducer(const Scenario& scenario, const std::string& verdict,
                             const CapabilityRecord& record) {
  std::string text;
  const std::string clean = printable(verdict.substr(0, kVerdictBytes));
  for (std::size_t start = 0; start < clean.size();) {
    const std::size_t end = std::min(clean.find('\n', start), clean.size());
    const std::string line = printable(clean.substr(start, std::min(end - start, kLineBytes)));
    text += line.empty() ? "#\n" : "# " + line + "\n";
    start = end + 1;
  }
  if (!text.empty()) text += "#\n";
  return text + print_record(record) + print_scenario(scenario);
}

}  // namespace wddm::harness
