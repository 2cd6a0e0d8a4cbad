// What observers of address spaces are told, read from the trace once: some twenty checks ask.
#pragma once

#include <vector>

#include "conformance/rules/va/space_history.h"
#include "reference/trace/trace.h"

namespace wddm {

class SpacesTold;
void read_spaces(const Trace& trace, SpacesTold& told);

/// A ledger; see Trace::ledger.
class SpacesTold {
 public:
  enum class What : std::uint8_t {
    ContextMade,
    RootSet,
    TableMoved,
    Flushed,
    Submitted,
    Paged,
    Shown,
    RanThrough,
    SaidToFault,
    Hurried,
  };
  /// A packet and the one that was submitted to its engine before it.
  struct Submission {
    SpacePacket packet;
    SpacePacket before;
  };

  explicit SpacesTold(const Trace& trace) : trace_(trace) { read_spaces(trace, *this); }
  void tell(SpaceObserver& observer) const;

  void add(What what, std::uint32_t event) { told_.push_back({what, event}); }
  void add(What what, const SpaceSign& sign) {
    add(what, static_cast<std::uint32_t>(signs_.size()));
    signs_.push_back(sign);
  }
  void add(const Submission& submission) {
    add(What::Submitted, static_cast<std::uint32_t>(submissions_.size()));
    submissions_.push_back(submission);
  }

 private:
  struct Told {
    What what;
    std::uint32_t at;  // event, or place among signs or submissions
  };

  const Trace& trace_;
  std::vector<Told> told_;
  std::vector<SpaceSign> signs_;
  std::vector<Submission> submissions_;
};

}  // namespace wddm
