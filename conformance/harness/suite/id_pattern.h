// Regular expressions over the names of clauses, in the syntax of RE2: no expression that somebody
// writes takes exponential time or exhausts the stack. Its header stays behind here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace wddm::harness {

class IdPattern {
 public:
  /// False with what is wrong in `error`.
  [[nodiscard]] bool compile(const std::string& text, std::string& error);
  /// Whether it is found in a name of the clause: in either spelling, or in that of an alias.
  [[nodiscard]] bool matches(std::string_view id) const;

 private:
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace wddm::harness
