// Reads the files of known exceptions that flags name.
#pragma once

#include <string>

#include "conformance/harness/suite/expectations.h"
#include "conformance/runner/options.h"

namespace wddm::runner {

/// Baselines, skips and flakes; entries past their date are named on stderr and left out. False
/// with "FILE:LINE: what" in `error`.
[[nodiscard]] bool read_known_failures(const Options& options, harness::Expectations& known,
                                       std::string& error);

}  // namespace wddm::runner
