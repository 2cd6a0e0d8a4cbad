// Why a driver isn't running, told from its trace in one line.
#pragma once

#include "conformance/harness/judge/result.h"
#include "reference/trace/trace.h"

namespace wddm::harness {

/// Fills start_trouble and version_refused of `judged`, whose platform is known.
void note_bring_up(const Trace& trace, Judged& judged);

}  // namespace wddm::harness
