// The journal: a line for each run as it begins and ends.
//
// A line is with the system as soon as it is written, so no crash of the runner loses it; it is
// forced to disk twice a second, so a crash of the machine loses little. What was gained until then
// can be reported with read_journal() (`wddmcheck report DIR`). With several jobs the order of
// lines is that of the runs' ends; records are told apart by clause, case and configuration.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conformance/harness/judge/result.h"
#include "conformance/harness/suite/suite.h"
#include "reports/report.h"

namespace wddm::reports {

/// What the records of a journal belong to.
struct JournalHead {
  std::string version;
  Subject subject;
  std::vector<harness::Configuration> configurations;
  std::vector<std::string> selected;  ///< ids
  std::vector<std::string> excluded;  ///< ids
  harness::PlayedIn played = harness::PlayedIn::Each;
};

class Journal {
 public:
  Journal() = default;
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Starts FOLDER/journal.jsonl anew. False with one line in `error`.
  [[nodiscard]] bool open(const std::string& folder, const JournalHead& head, std::string& error);
  void begun(const harness::RunSpec& spec);
  void ended(const harness::RunRecord& record);
  /// The first problem with writing; empty if there was none.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void append(std::string line);
  int file_ = -1;
  std::chrono::steady_clock::time_point synced_{};
  std::string problem_;
};

struct JournalContents {
  JournalHead head;
  std::vector<harness::RunRecord> ended;     ///< in the order of the journal
  std::vector<harness::RunSpec> unfinished;  ///< begun and not ended: what ran when it broke off
};

/// Reads what Journal wrote; a last line that was cut is left out. False with "FILE:LINE: what".
[[nodiscard]] bool read_journal(const std::string& path, JournalContents& contents,
                                std::string& error);

/// The records in the order of the plan, what was begun of the corpus behind them; what has no
/// record was not run.
[[nodiscard]] std::vector<harness::RunRecord> in_order(std::span<const harness::RunSpec> plan,
                                                       const JournalContents& contents);

}  // namespace wddm::reports
