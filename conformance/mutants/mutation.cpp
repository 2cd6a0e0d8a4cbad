#include "conformance/mutants/mutation.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>
#include <utility>

namespace wddm::mutants {
namespace {

std::string numbered(const std::string& text, unsigned number) {
  std::string result;
  for (const char c : text) {
    if (c == '#') {
      result += std::to_string(number);
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

void sort_mutations(std::vector<Mutation>& mutations) {
  std::stable_sort(mutations.begin(), mutations.end(), [](const Mutation& a, const Mutation& b) {
    // What is only put in, at no text of its own, comes before what stands there; and of one text
    // what parts it in two comes last.
    const auto place = [](const Mutation& one) {
      return std::tuple(one.begin, one.begin != one.end, ~one.end, one.sign_end != 0);
    };
    return place(a) < place(b);
  });
}

std::vector<Mutant> name_mutants(const std::vector<Mutation>& mutations, const std::string& file,
                                 const std::string& text, unsigned first) {
  std::vector<Mutant> mutants;
  std::map<std::string, unsigned> ordinals;
  for (const Mutation& mutation : mutations) {
    const std::string stem = file + ':' + mutation.function + ':' + mutation.kind;
    Mutant& mutant = mutants.emplace_back();
    mutant.number = first++;
    mutant.name = stem + ':' + std::to_string(++ordinals[stem]);
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(mutation.begin);
    mutant.line = 1 + static_cast<unsigned>(std::count(text.begin(), begin, '\n'));
    mutant.about = mutation.about;
  }
  return mutants;
}

std::string with_mutants(const std::string& text, const std::vector<Mutation>& mutations,
                         unsigned first) {
  // What opens stands in the order of the list, and what closes in the other one, so pieces nest.
  std::map<std::size_t, std::string> opening, closing;
  std::map<std::size_t, std::pair<std::size_t, std::string>> signs;
  for (std::size_t i = 0; i < mutations.size(); ++i) {
    const Mutation& one = mutations[i];
    const unsigned number = first + static_cast<unsigned>(i);
    opening[one.begin] += numbered(one.before, number);
    closing[one.end] = numbered(one.after, number) + closing[one.end];
    if (one.sign_end != 0) signs[one.sign_begin] = {one.sign_end, one.sign};
  }
  std::string result;
  for (std::size_t at = 0; at <= text.size();) {
    if (const auto found = closing.find(at); found != closing.end()) result += found->second;
    if (const auto found = opening.find(at); found != opening.end()) result += found->second;
    if (const auto found = signs.find(at); found != signs.end()) {
      result += found->second.second;
      at = found->second.first;
      continue;
    }
    if (at < text.size()) result += text[at];
    ++at;
  }
  return result;
}

std::string on_one_line(const std::string& code) {
  std::string result;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const char c = code[at];
    if (code.compare(at, 2, "//") == 0) {
      at = std::min(code.find('\n', at), code.size());
      result += ' ';
    } else if (c == '"' ||
               (c == '\'' &&
                (at == 0 || std::isalnum(static_cast<unsigned char>(code[at - 1])) == 0))) {
      const std::size_t start = at;
      for (++at; at < code.size() && code[at] != c; ++at) {
        if (code[at] == '\\') ++at;
      }
      result += code.substr(start, at - start + 1);
    } else {
      result += c == '\n' ? ' ' : c;
    }
  }
  // Indentation says nothing on one line.
  std::string narrow;
  for (const char c : result) {
    if (c != ' ' || narrow.empty() || narrow.back() != ' ') narrow += c;
  }
  return narrow;
}

}  // namespace wddm::mutants
