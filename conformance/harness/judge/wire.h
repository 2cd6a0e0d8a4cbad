// A judgement as bytes: from the process that judged to the runner, and into the journal.
//
// Judging runs in a process of its own: a trace that a lying driver made may break a careless
// check, and then one run is lost, not all of them.
#pragma once

#include <string>
#include <string_view>

#include "conformance/harness/judge/result.h"

namespace wddm::harness {

[[nodiscard]] std::string to_wire(const Judged& judged);
/// False if `bytes` are not what to_wire() writes; `judged` is unspecified then.
[[nodiscard]] bool from_wire(std::string_view bytes, Judged& judged);

/// A whole record as one line of JSON, for the journal.
[[nodiscard]] std::string record_to_line(const RunRecord& record);
/// False if `line` is no such record, or names a clause that this program doesn't have.
[[nodiscard]] bool record_from_line(std::string_view line, RunRecord& record);
/// A run that begins, likewise.
[[nodiscard]] std::string spec_to_line(const RunSpec& spec);
[[nodiscard]] bool spec_from_line(std::string_view line, RunSpec& spec);

}  // namespace wddm::harness
