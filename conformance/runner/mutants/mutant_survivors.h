// `selftest --mutants --fuzz`: what no scenario of `run` kills has its minute of fuzzing.
#pragma once

#include <string>
#include <vector>

#include "conformance/host/execute.h"
#include "conformance/runner/mutants/mutant_journal.h"
#include "conformance/runner/mutants/mutant_table.h"

namespace wddm::runner {

/// Fuzzes each mutant that survived and was not fuzzed before, first as a driver of patch lists and
/// then as one with GPU virtual addresses. `driver` is loaded and has the mutants. False with one
/// line in `error` if nothing can be fuzzed.
[[nodiscard]] bool fuzz_survivors(const Options& options, const MutantLists& lists,
                                  const host::DriverUnderTest& driver, MutantJournal& journal,
                                  std::vector<harness::MutantFate>& fates, std::string& error);

}  // namespace wddm::runner
