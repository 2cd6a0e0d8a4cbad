// The traces that the runs of a report kept, each read when it is first asked for.
//
// Many clauses may fire in one run, and each names events of its trace.
#pragma once

#include <cstddef>
#include <map>
#include <span>

#include "conformance/harness/judge/result.h"
#include "reference/trace/trace_file.h"

namespace wddm::reports {

class RecordTraces {
 public:
  explicit RecordTraces(std::span<const harness::RunRecord> records) : records_(records) {}

  /// That of a record, by its index; without events if none was kept. Stays where it is.
  [[nodiscard]] const StoredTrace& of(std::size_t record) {
    return read_.try_emplace(record, records_[record].run.judged.trace).first->second;
  }

 private:
  std::span<const harness::RunRecord> records_;
  std::map<std::size_t, StoredTrace> read_;
};

}  // namespace wddm::reports
