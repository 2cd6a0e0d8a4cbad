// What collecting puts together while the records go by, of clauses and, place by place, of what
// kernel services caught the driver doing and of how runs ended.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "conformance/harness/judge/collect.h"

namespace wddm::harness {

/// What one clause gathers while the records go by.
struct Gathered {
  ClauseResult result;
  std::optional<std::string> site;  // of a finding, or of ends; none: not met
  bool applied = false;
  std::string not_applicable;  // of its own first run if there is one
  bool own_not_run = false;
  bool own_harness = false;
  std::string obstacle;  // the first of its own runs in which its check had nothing to judge
  bool driver_ended_it = false;  // a scenario about our own host
  ResultKind own_end = ResultKind::Pass;
  std::string own_end_about;
  std::string flake_about;
};

class GatheredFindings {
 public:
  GatheredFindings();
  /// Of that finding, or of that end ("CRASH"), at that place. The first has the name of the kind
  /// alone. Null if there are too many; else it holds until the next call.
  [[nodiscard]] Gathered* at(std::string_view id, const std::string& site);
  /// Findings in the order of their enumeration, then ends; places in that in which they were met.
  [[nodiscard]] std::deque<Gathered>& all() { return all_; }
  /// How many places there was no room for, of the last of a kind; of any other 0.
  [[nodiscard]] std::size_t left_out_behind(const Gathered& gathered) const;

 private:
  std::deque<Gathered> all_;
  std::map<std::string, std::set<std::string>> left_out_;  // places, by kind
};

}  // namespace wddm::harness
