#include "conformance/mutants/mutator.h"

#include <filesystem>

#include "conformance/mutants/operators.h"
#include "conformance/mutants/syntax_tree.h"

namespace wddm::mutants {
namespace {

void add_mutations(const SyntaxTree& tree, const std::string& path, MutatedFile& file) {
  for (const auto& function : tree.functions_of(path, file.text))
    find_mutations(*function, file.text, file.mutations);
  sort_mutations(file.mutations);
  file.looked_at = true;
}

}  // namespace

bool look_at(const std::string& unit, const std::vector<std::string>& flags,
             std::vector<MutatedFile>& files, std::string& error) {
  const auto tree = SyntaxTree::parse(unit, nullptr, flags, error);
  if (tree == nullptr) return false;
  for (const std::string& path : tree->files()) {
    const std::string plain = std::filesystem::weakly_canonical(path).string();
    for (MutatedFile& file : files) {
      if (!file.looked_at && file.path == plain) add_mutations(*tree, path, file);
    }
  }
  return true;
}

Sample mutate(const std::string& text) {
  Sample sample;
  MutatedFile file;
  file.path = file.name = "sample.cpp";
  file.text = text;
  const auto tree = SyntaxTree::parse(file.path, &text, {"-std=c++17", "-xc++"}, sample.error);
  if (tree == nullptr) return sample;
  add_mutations(*tree, file.path, file);
  sample.text = with_mutants(text, file.mutations, 1);
  sample.mutants = name_mutants(file.mutations, file.name, text, 1);
  return sample;
}

std::string rendered(const MutatedFile& file, unsigned first) {
  if (file.mutations.empty()) return file.text;
  // Lines stay what they are, so that debuggers show the source as it was written.
  return "#include \"conformance/mutants/mutant_point.h\"\n#line 1 \"" + file.path + "\"\n" +
         with_mutants(file.text, file.mutations, first);
}

}  // namespace wddm::mutants
