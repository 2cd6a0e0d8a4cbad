// Regular expressions over the names of clauses. <regex> is slow to compile and stays behind here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace wddm::harness {

class IdPattern {
 public:
  /// ECMAScript, of at most 1000 characters. False with what is wrong in `error`.
  [[nodiscard]] bool compile(const std::string& text, std::string& error);
  /// Whether it is found in a name of the clause: in either spelling, or in that of an alias.
  [[nodiscard]] bool matches(std::string_view id) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace wddm::harness
