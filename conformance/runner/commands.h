// The commands of wddmcheck. Each gives the exit code.
#pragma once

#include <span>

#include "conformance/host/execute.h"
#include "conformance/rules/rule.h"
#include "conformance/runner/options.h"

namespace wddm::runner {

[[nodiscard]] int run_command(const Options& options);
[[nodiscard]] int report_command(const Options& options);
[[nodiscard]] int list_command(const Options& options);
[[nodiscard]] int explain_command(const Options& options);
[[nodiscard]] int selftest_command(const Options& options);
/// With --fuzz; `driver` has the variants.
[[nodiscard]] int selftest_fuzz(const Options& options, std::span<const Rule* const> rules,
                                const host::DriverUnderTest& driver);
/// With --mutants.
[[nodiscard]] int selftest_mutants(const Options& options);
/// With --corpus.
[[nodiscard]] int selftest_corpus(const Options& options, std::span<const Rule* const> rules);
[[nodiscard]] int info_command(const Options& options);
[[nodiscard]] int repro_command(const Options& options);
[[nodiscard]] int fuzz_command(const Options& options);
[[nodiscard]] int minimize_command(const Options& options);
[[nodiscard]] int merge_command(const Options& options);
[[nodiscard]] int distill_command(const Options& options);
[[nodiscard]] int convert_command(const Options& options);
[[nodiscard]] int trace_command(const Options& options);

/// The whole program.
[[nodiscard]] int wddmcheck(int argc, char** argv);

}  // namespace wddm::runner
