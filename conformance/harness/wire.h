// A judgement as bytes, from the process that judged to the runner.
//
// Judging runs in a process of its own: a trace that a lying driver made may break a careless
// check, and then one run is lost, not all of them.
#pragma once

#include <string>
#include <string_view>

#include "conformance/harness/result.h"

namespace wddm::harness {

[[nodiscard]] std::string to_wire(const Judged& judged);
/// False if `bytes` are not what to_wire() writes; `judged` is unspecified then.
[[nodiscard]] bool from_wire(std::string_view bytes, Judged& judged);

}  // namespace wddm::harness
