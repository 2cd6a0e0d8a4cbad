// Arbitrary scenarios for property tests.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <string>
#include <vector>

#include "reference/trace/op.h"

namespace wddm::test {

/// Sixteen arbitrary bytes as an op: any kind, any members.
[[nodiscard]] rc::Gen<Op> any_op();
/// An op of the catalogue (or None) with every field inside its limits, limits and defaults often.
[[nodiscard]] rc::Gen<Op> canonical_op();
[[nodiscard]] rc::Gen<std::vector<Op>> canonical_ops();
/// Valid UTF-8 without control characters, signs that mean something to YAML often.
[[nodiscard]] rc::Gen<std::string> line_of_text();
/// The same with line breaks and tabs.
[[nodiscard]] rc::Gen<std::string> block_of_text();
[[nodiscard]] rc::Gen<Scenario> canonical_scenario();
[[nodiscard]] rc::Gen<std::vector<std::uint8_t>> any_bytes();

/// Reads a whole file under reference/trace; fails the test if that is not possible.
[[nodiscard]] std::string file_text(const std::string& path);

}  // namespace wddm::test
