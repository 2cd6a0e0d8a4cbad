// Known exceptions, kept in files and never in tests: baseline, skips and flakes.
//
// The forms are those of deqp-runner (see README.md beside the reports for examples):
//   baseline  lines "Split.SPLIT_007,Fail[,reason[,link[,owner[,expires[,place]]]]]", or YAML: a
//             list of maps with the keys test, result, reason, link, owner, expires, place. A
//             failures.csv of an earlier run is a baseline too.
//   skips     a regular expression a line; what matches isn't run
//   flakes    a regular expression a line; what matches and fails counts as a flake
// For fuzzing, a baseline may name how runs end as well: "HANG,Hang" or
// "CRASH-SIGSEGV-in-DxgkDdiPatch,Crash", by the name of the finding or its first word.
// An entry with a place excuses crashes and findings of the kernel there, and none elsewhere.
// From its `expires` date on (YYYY-MM-DD, UTC) an entry no longer excuses anything.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness/suite/id_pattern.h"
#include "conformance/harness/judge/result.h"

namespace wddm::harness {

struct Expectation {
  std::string id;  ///< of the clause or kernel finding
  ResultKind result = ResultKind::Fail;
  std::string reason = {}, link = {}, owner = {}, expires = {};
  std::string place = {};  ///< as place_of() and place_of_end() have them; empty: any
  std::string file = {};
  std::size_t line = 0;
};

struct Pattern {
  IdPattern expression;
  std::string text;
  std::string file;
  std::size_t line = 0;
};

struct Expectations {
  std::vector<Expectation> baseline;
  std::vector<Pattern> skips;
  std::vector<Pattern> flakes;

  /// Null if the baseline says nothing of this clause.
  [[nodiscard]] const Expectation* of(std::string_view id) const;
  /// The same of what was met at these places; null unless it says it of all of them.
  [[nodiscard]] const Expectation* of(std::string_view id,
                                      std::span<const std::string> places) const;
  /// Whether it has a crash at that place, under whatever name.
  [[nodiscard]] bool has_crash_at(std::string_view place) const;
  [[nodiscard]] const Pattern* skip_of(std::string_view id) const;
  [[nodiscard]] const Pattern* flake_of(std::string_view id) const;
};

/// Adds the entries of a baseline; ".yaml" and ".yml" are YAML, everything else is lines. `today`
/// is YYYY-MM-DD; entries that have expired are left out and named in `expired`. False with
/// "FILE:LINE: what" in `error`.
[[nodiscard]] bool read_baseline(const std::string& path, const std::string& today,
                                 Expectations& expectations, std::vector<std::string>& expired,
                                 std::string& error);
[[nodiscard]] bool read_patterns(const std::string& path, std::vector<Pattern>& patterns,
                                 std::string& error);

/// Splits a line of comma-separated values; a field may stand in double quotes.
[[nodiscard]] std::vector<std::string> split_csv(std::string_view line);

}  // namespace wddm::harness
