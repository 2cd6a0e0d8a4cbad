// What a run gave the driver that it never meets on a Windows with an honest user mode: hostile
// ops, and less room for Render's output than the context asked for. A driver should live through
// it; a crash behind it is a matter of robustness, and its author is told what provoked it.
#pragma once

#include <span>

#include "conformance/harness/judge/result.h"
#include "reference/trace/trace.h"

namespace wddm::harness {

/// Says of each of these failures what provoked it, if that came before: Failure::provoked.
void note_provocation(const Trace& trace, std::span<Failure> failures);

}  // namespace wddm::harness
