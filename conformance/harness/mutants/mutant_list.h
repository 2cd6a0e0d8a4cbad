// The mutants of the reference driver by name, and what is known of some beforehand.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wddm::harness {

struct MutantEntry {
  unsigned number = 0;
  std::string name;   ///< "kmd/node.cpp:Node::enqueue:negate:2"
  std::string line;   ///< in the source as it was written
  std::string about;  ///< the mutation

  [[nodiscard]] std::string_view file() const;
  [[nodiscard]] std::string_view kind() const;
};

/// The list that the mutator wrote. False with one line in `error`.
[[nodiscard]] bool read_mutants(const std::string& path, std::vector<MutantEntry>& mutants,
                                std::string& error);
/// Lines "name<tab>mutation<tab>reason". False with one line in `error`: a name that is none, no
/// reason, or a mutation that is another one's, since the function was changed and numbers moved.
[[nodiscard]] bool read_reasons(const std::string& path, const std::vector<MutantEntry>& mutants,
                                std::map<std::string, std::string>& reasons, std::string& error);
/// `count` of them, spread evenly over all and always the same.
[[nodiscard]] std::vector<MutantEntry> sample_of(std::vector<MutantEntry> mutants,
                                                 std::size_t count);

}  // namespace wddm::harness
