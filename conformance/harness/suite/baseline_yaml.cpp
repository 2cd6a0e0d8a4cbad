#include "conformance/harness/suite/baseline_yaml.h"

#include <fmt/format.h>

#include <set>

#include "conformance/harness/suite/text_file.h"
#include "reference/trace/yaml_events.h"

namespace wddm::harness {
namespace {

using Kind = yaml::Event::Kind;

struct Problem {
  std::size_t line;
  std::string what;
};

// Builds entries from events.
class Builder {
 public:
  explicit Builder(std::vector<BaselineEntry>& entries) : entries_(entries) {}

  void take(const yaml::Event& event) {
    if (event.anchor) throw Problem{event.line, "an anchor; write values out"};
    if (!event.tag.empty()) throw Problem{event.line, "a tag; write values without"};
    switch (event.kind) {
      case Kind::Document:
        if (documents_++ != 0) throw Problem{event.line, "more than one document"};
        return;
      case Kind::Alias:
        throw Problem{event.line, "an alias; write the value out"};
      case Kind::Nothing:
        // A file may have nothing, not even entries.
        if (depth_ != 0) take_text(event.line, {});
        return;
      case Kind::Scalar:
        return take_text(event.line, event.text);
      case Kind::List:
        if (depth_++ != 0) throw Problem{event.line, expected()};
        return;
      case Kind::Map:
        if (depth_++ != 1) throw Problem{event.line, expected()};
        entries_.emplace_back().line = event.line;
        seen_.clear();
        return;
      case Kind::ListEnd:
      case Kind::MapEnd:
        --depth_;
        return;
    }
  }

 private:
  static std::string expected() {
    return "not a baseline; expected a list of entries such as {test: SPLIT-007, result: Fail}";
  }
  // A key or a value.
  void take_text(std::size_t line, std::string_view text) {
    if (depth_ != 2) throw Problem{line, expected()};
    if (!key_.empty()) {
      *member(key_) = text;
      key_.clear();
      return;
    }
    key_ = text;
    if (!member(key_)) {
      throw Problem{line,
                    fmt::format("unknown key '{}'; expected test, result, reason, link, owner, "
                                "expires or place",
                                text)};
    }
    if (!seen_.insert(key_).second) {
      throw Problem{line, fmt::format("the key '{}' stands twice", key_)};
    }
  }
  std::string* member(const std::string& key) {
    BaselineEntry& entry = entries_.back();
    if (key == "test") return &entry.test;
    if (key == "result") return &entry.result;
    if (key == "reason") return &entry.reason;
    if (key == "link") return &entry.link;
    if (key == "owner") return &entry.owner;
    if (key == "expires") return &entry.expires;
    if (key == "place") return &entry.place;
    return nullptr;
  }

  std::vector<BaselineEntry>& entries_;
  std::set<std::string> seen_;
  std::string key_;
  int depth_ = 0;
  int documents_ = 0;
};

}  // namespace

bool parse_baseline_yaml(const std::string& text, const std::string& file,
                         std::vector<BaselineEntry>& entries, std::string& error) {
  try {
    yaml::Reader events(text);
    Builder builder(entries);
    while (const yaml::Event* const event = events.next()) builder.take(*event);
  } catch (const Problem& problem) {
    error = complaint(file, problem.line, problem.what);
    return false;
  } catch (const yaml::Problem& problem) {
    error = complaint(file, problem.line,
                      fmt::format("{}; expected {}", problem.found, problem.expected));
    return false;
  }
  return true;
}

}  // namespace wddm::harness
