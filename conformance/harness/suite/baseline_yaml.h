// The YAML form of a baseline, read by events: nothing but a list of flat maps is accepted.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace wddm::harness {

/// One entry as it was written.
struct BaselineEntry {
  std::size_t line = 0;
  std::string test, result;
  std::string reason, link, owner, expires, place;
};

/// False with "FILE:LINE: what" in `error`. Anchors, aliases, tags, duplicate and unknown keys and
/// further documents are errors.
[[nodiscard]] bool parse_baseline_yaml(const std::string& text, const std::string& file,
                                       std::vector<BaselineEntry>& entries, std::string& error);

}  // namespace wddm::harness
