#include "conformance/harness/suite/baseline_yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <set>
#include <sstream>

#include "conformance/harness/suite/text_file.h"

namespace wddm::harness {
namespace {

struct Problem {
  std::size_t line;
  std::string what;
};

std::size_t line_of(const YAML::Mark& mark) {
  return static_cast<std::size_t>(mark.line) + 1;
}

// Builds entries from events. The parser may be left by an exception at any event.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(std::vector<BaselineEntry>& entries) : entries_(entries) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    // An empty file has one null document and no entries.
    if (depth_ == 0) return;
    OnScalar(mark, "", anchor, "");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Problem{line_of(mark), "an alias; write the value out"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    if (depth_ != 2) throw Problem{line_of(mark), expected()};
    if (key_.empty()) {
      key_ = value;
      if (!member(key_)) {
        throw Problem{line_of(mark),
                      fmt::format("unknown key '{}'; expected test, result, reason, link, owner "
                                  "or expires",
                                  value)};
      }
      if (!seen_.insert(key_).second) {
        throw Problem{line_of(mark), fmt::format("the key '{}' stands twice", key_)};
      }
      return;
    }
    *member(key_) = value;
    key_.clear();
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_anchor(mark, anchor);
    if (depth_++ != 0) throw Problem{line_of(mark), expected()};
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_anchor(mark, anchor);
    if (depth_++ != 1) throw Problem{line_of(mark), expected()};
    entries_.emplace_back().line = line_of(mark);
    seen_.clear();
  }
  void OnMapEnd() override { --depth_; }

 private:
  static std::string expected() {
    return "not a baseline; expected a list of entries such as {test: SPLIT-007, result: Fail}";
  }
  static void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) throw Problem{line_of(mark), "an anchor; write values out"};
  }
  std::string* member(const std::string& key) {
    BaselineEntry& entry = entries_.back();
    if (key == "test") return &entry.test;
    if (key == "result") return &entry.result;
    if (key == "reason") return &entry.reason;
    if (key == "link") return &entry.link;
    if (key == "owner") return &entry.owner;
    if (key == "expires") return &entry.expires;
    return nullptr;
  }

  std::vector<BaselineEntry>& entries_;
  std::set<std::string> seen_;
  std::string key_;
  int depth_ = 0;
};

}  // namespace

bool parse_baseline_yaml(const std::string& text, const std::string& file,
                         std::vector<BaselineEntry>& entries, std::string& error) {
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    Builder builder(entries);
    if (parser.HandleNextDocument(builder) && parser.HandleNextDocument(builder)) {
      error = fmt::format("{}: more than one document", file);
      return false;
    }
  } catch (const Problem& problem) {
    error = complaint(file, problem.line, problem.what);
    return false;
  } catch (const YAML::Exception& problem) {
    error = complaint(file, line_of(problem.mark), problem.msg);
    return false;
  }
  return true;
}

}  // namespace wddm::harness
