// Which outcomes the oracles' decisions had in a trace: what a run never came to, its report names.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/platform.h"
#include "reference/trace/trace.h"

namespace wddm::harness {

enum class Decision : std::uint8_t {
#define DECISION(name, model, text) name,
#include "conformance/harness/judge/decision.def"
#undef DECISION
};
inline constexpr std::size_t kDecisions = 0
#define DECISION(...) +1
#include "conformance/harness/judge/decision.def"
#undef DECISION
    ;
using DecisionSet = std::bitset<kDecisions>;

/// "a portion ends where memory ends"
[[nodiscard]] const char* text_of(Decision decision);

[[nodiscard]] DecisionSet decisions_in(const Trace& trace);
/// Those that a driver of this kind can be met by.
[[nodiscard]] DecisionSet possible_for(const Platform& platform);

// As they stand in journals: by name, so that the table may change.
[[nodiscard]] std::vector<std::string> names_of(const DecisionSet& decisions);
/// Leaves out names that are not known.
[[nodiscard]] DecisionSet decisions_named(const std::vector<std::string>& names);

}  // namespace wddm::harness
