// Sources in, the same sources with all mutants out.
#pragma once

#include <string>
#include <vector>

#include "conformance/mutants/mutation.h"

namespace wddm::mutants {

/// A file that may be mutated.
struct MutatedFile {
  std::string path;                 ///< absolute
  std::string name;                 ///< "kmd/node.cpp": how lists call it
  std::string text;                 ///< as it was
  std::vector<Mutation> mutations;  ///< sorted, once all units that include it were looked at
  bool looked_at = false;
};

/// Adds the mutations of all `files` that this unit is made of and that no former one was. False
/// with one line in `error` if the unit does not compile.
[[nodiscard]] bool look_at(const std::string& unit, const std::vector<std::string>& flags,
                           std::vector<MutatedFile>& files, std::string& error);

/// One text alone: for tests. The mutants get the numbers from 1 on.
struct Sample {
  std::string text;
  std::vector<Mutant> mutants;
  std::string error;
};
[[nodiscard]] Sample mutate(const std::string& text);

/// The whole file as it is compiled.
[[nodiscard]] std::string rendered(const MutatedFile& file, unsigned first);

}  // namespace wddm::mutants
