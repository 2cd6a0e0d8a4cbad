// What `wddmcheck fuzz` says of what a campaign meets, what it writes down, and what its exit code
// tells: OUTPUT/findings has scenarios that show what they are named by, OUTPUT/unsteady inputs
// that did not end the same way again, OUTPUT/left those that nobody had time to look at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/harness/judge/capability_record.h"
#include "conformance/harness/suite/expectations.h"
#include "conformance/runner/options.h"
#include "fuzz/session/campaign.h"

namespace wddm::runner {

/// In a line: how much was done, and what it came to.
[[nodiscard]] std::string describe_progress(const fuzz::Progress& progress);

class FuzzFindings {
 public:
  /// `settings`: of --config, where a finding needs it again.
  FuzzFindings(const Options& options, const harness::Expectations& known,
               harness::CapabilityRecord record, std::string settings);

  void add(const fuzz::Finding& finding);
  /// Whether a baseline has it: then that is all that is said.
  bool excuse(const fuzz::Finding& finding);
  void add_follower(const fuzz::Finding& finding, const std::string& earlier);
  void add_unsteady(const std::string& bucket, const std::vector<std::uint8_t>& input);
  /// Nobody has confirmed it, and nothing but its bucket says whether a baseline has it.
  void add_left(const std::string& bucket, const std::vector<std::uint8_t>& input);

  void show(const fuzz::Progress& progress);
  void forget_status_line() const;

  /// The last file that could not be written; empty: there is none.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::string summary() const;
  /// `judged`: whether any clause could apply.
  [[nodiscard]] int exit_code(bool judged) const;

 private:
  void keep(const std::string& bucket, const std::string& file, const char* what,
            const std::vector<std::uint8_t>& input);
  // Gives the word for it.
  const char* count(const fuzz::Finding& finding, const std::string& file);
  [[nodiscard]] bool is_known(const fuzz::Finding& finding) const;
  [[nodiscard]] bool write(const fuzz::Finding& finding, const std::string& file);

  const Options& options_;
  const harness::Expectations& known_;
  const harness::CapabilityRecord record_;
  const std::string settings_;
  // Again: written by an earlier run, and excused by nobody.
  std::size_t new_count_ = 0, again_count_ = 0, known_count_ = 0, unsteady_ = 0, ours_ = 0;
  std::size_t slow_ = 0;  // of those that are unsteady
  std::size_t follower_count_ = 0;
  std::size_t left_ = 0, left_unexpected_ = 0;
  double shown_at_ = 0;
  std::string problem_;
};

}  // namespace wddm::runner
