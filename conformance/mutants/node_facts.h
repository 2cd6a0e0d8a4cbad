// Questions about a node of the syntax tree that operators ask.
#pragma once

#include <optional>
#include <string>

#include "conformance/mutants/syntax_tree.h"

namespace wddm::mutants {

/// What wraps an expression without a text of its own (conversions, temporaries) taken away.
[[nodiscard]] const Node& bare(const Node& node);
[[nodiscard]] bool is_expression(const Node& node);
/// The condition of an if, a loop or ?:, or a side of && or ||.
[[nodiscard]] bool is_condition(const Node& node, const std::string& text);
/// An expression that stands as a statement: its value is nobody's.
[[nodiscard]] bool is_statement(const Node& node);
/// Whether nothing may be mutated below the node.
[[nodiscard]] bool is_fixed(const Node& node, const std::string& text);

/// Place of the operator between the two operands of a binary expression.
struct Sign {
  std::size_t begin, end;
  std::string text;
};
[[nodiscard]] std::optional<Sign> sign_of(const Node& binary, const std::string& text);

struct TypeFacts {
  bool integer = false, boolean = false, pointer = false;
  unsigned bits = 0;
  std::string name;  ///< canonical, without const and references
};
[[nodiscard]] TypeFacts type_of(const Node& node);
/// The value of a constant of integer type.
[[nodiscard]] std::optional<long long> constant_of(const Node& node);
/// Whether the type of `node` is turned into a pointer: 0 is null there.
[[nodiscard]] bool is_null(const Node& node);
[[nodiscard]] std::string text_of(const Node& node, const std::string& text);

}  // namespace wddm::mutants
