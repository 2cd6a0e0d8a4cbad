// One change to a source text that can be switched on, as pieces that are put into it.
//
// All mutants stand in one text ("schemata"): an expression becomes
// `(WDDM_MUTANT(7) ? (mutated) : (original))`. The mutated half is the text as it was, so texts
// grow with the depth of nesting and not with its power.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace wddm::mutants {

struct Mutation {
  std::size_t begin = 0, end = 0;  ///< in the text
  std::string function;            ///< "Node::enqueue"
  const char* kind = "";           ///< of operators.def
  std::string about;               ///< "a < b -> a <= b"
  /// Around the text; '#' stands for the number of the mutant.
  std::string before, after;
  /// What replaces the operator between two operands, where there is one.
  std::size_t sign_begin = 0, sign_end = 0;
  std::string sign;
};

/// One mutant, as the lists know it. Stable: no lines, no numbers that others depend on.
struct Mutant {
  unsigned number = 0;
  std::string name;  ///< "kmd/node.cpp:Node::enqueue:negate:2"
  unsigned line = 0;
  std::string about;
};

/// Orders mutations as they stand in the text, outer ones first.
void sort_mutations(std::vector<Mutation>& mutations);
/// Names sorted mutations of a file, and numbers them from `first` on.
[[nodiscard]] std::vector<Mutant> name_mutants(const std::vector<Mutation>& mutations,
                                               const std::string& file, const std::string& text,
                                               unsigned first);
/// The text with all of them, sorted, numbered from `first` on.
[[nodiscard]] std::string with_mutants(const std::string& text,
                                       const std::vector<Mutation>& mutations, unsigned first);
/// Code on one line: comments and line ends become spaces.
[[nodiscard]] std::string on_one_line(const std::string& code);

}  // namespace wddm::mutants
