#include "conformance/harness/suite/id_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <vector>

#include "conformance/harness/suite/selection.h"

namespace wddm::harness {
namespace {

// std::regex recurses over its text: a longer one could exhaust the stack.
constexpr std::size_t kLongest = 1000;

}  // namespace

struct IdPattern::Compiled {
  std::regex expression;
};

bool IdPattern::compile(const std::string& text, std::string& error) {
  if (text.size() > kLongest) {
    error = fmt::format("'{}...' is longer than {} characters", text.substr(0, 20), kLongest);
    return false;
  }
  try {
    compiled_ = std::make_shared<Compiled>(Compiled{std::regex(text)});
  } catch (const std::regex_error& problem) {
    error = fmt::format("'{}' is no regular expression: {}", text, problem.what());
    return false;
  }
  return true;
}

bool IdPattern::matches(std::string_view id) const {
  const std::vector<std::string> names = names_of(id);
  return std::any_of(names.begin(), names.end(), [this](const std::string& name) {
    return std::regex_search(name, compiled_->expression);
  });
}

}  // namespace wddm::harness
