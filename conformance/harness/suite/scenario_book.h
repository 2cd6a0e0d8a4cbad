// The scenarios of rules, parsed once.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "conformance/harness/judge/result.h"
#include "reference/trace/op.h"

namespace wddm::harness {

class ScenarioBook {
 public:
  /// Null if the text in the rule is no scenario: a defect of ours, told in `error`.
  [[nodiscard]] const Scenario* of(const Rule& rule, CaseKind which, std::string& error);
  /// Of the corpus too.
  [[nodiscard]] const Scenario* of(const RunSpec& spec, std::string& error);

 private:
  struct Page {
    bool good = false;
    Scenario scenario;
    std::string error;
  };
  std::map<std::pair<const Rule*, CaseKind>, Page> pages_;
};

/// "scenario of SPLIT-007"
[[nodiscard]] std::string place_name(const Rule& rule, CaseKind which);
/// The same, or "splits-17 of the corpus".
[[nodiscard]] std::string place_name(const RunSpec& spec);
/// "SPLIT-007", "splits-17": whose run it is, for progress.
[[nodiscard]] std::string owner_name(const RunSpec& spec);

}  // namespace wddm::harness
