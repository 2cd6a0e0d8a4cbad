#include "conformance/harness/suite/id_pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <vector>

#include "conformance/harness/suite/selection.h"

namespace wddm::harness {
namespace {

constexpr std::size_t kMostShown = 40;

std::string shown(const std::string& text) {
  return text.size() <= kMostShown ? text : text.substr(0, kMostShown) + "...";
}

}  // namespace

bool IdPattern::compile(const std::string& text, std::string& error) {
  auto compiled = std::make_shared<re2::RE2>(text, re2::RE2::Quiet);
  if (!compiled->ok()) {
    error = fmt::format("'{}' is no regular expression: {}", shown(text), shown(compiled->error()));
    return false;
  }
  compiled_ = std::move(compiled);
  return true;
}

bool IdPattern::matches(std::string_view id) const {
  const std::vector<std::string> names = names_of(id);
  return std::any_of(names.begin(), names.end(), [this](const std::string& name) {
    return re2::RE2::PartialMatch(name, *compiled_);
  });
}

}  // namespace wddm::harness
