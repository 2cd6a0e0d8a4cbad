// wddm_mutator: copies sources with all their mutants in them, and lists the mutants.
//
//   wddm_mutator --root DIR --commands DIR --output DIR --list FILE --prefix PATH FILE...
//
// Files are named from the root on, and lists leave the prefix out. Units (.cpp) are parsed with
// the flags that compile_commands.json in --commands has for them; headers are mutated as the first
// unit sees them that includes them.
#include <clang-c/CXCompilationDatabase.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "conformance/mutants/mutator.h"
#include "conformance/mutants/syntax_tree.h"

namespace wddm::mutants {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::map<std::string, std::string> options;
  std::vector<std::string> files;
};

Arguments arguments_of(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.compare(0, 2, "--") == 0 && i + 1 < argc) {
      arguments.options[word] = argv[++i];
    } else {
      arguments.files.push_back(word);
    }
  }
  return arguments;
}

// Without what is not for libclang: the compiler's name, files, and what only GCC knows.
std::vector<std::string> flags_of(CXCompilationDatabase database, const std::string& file) {
  std::vector<std::string> flags = {"-Wno-everything", "-ferror-limit=1"};
  const CXCompileCommands commands =
      clang_CompilationDatabase_getCompileCommands(database, file.c_str());
  if (commands != nullptr && clang_CompileCommands_getSize(commands) > 0) {
    const CXCompileCommand command = clang_CompileCommands_getCommand(commands, 0);
    const unsigned count = clang_CompileCommand_getNumArgs(command);
    for (unsigned i = 1; i < count; ++i) {
      const std::string word = text_of(clang_CompileCommand_getArg(command, i));
      const std::string start = word.substr(0, 2);
      const bool wanted = start == "-I" || start == "-D" || word.compare(0, 4, "-std") == 0 ||
                          word.compare(0, 8, "-isystem") == 0 || word == "-nostdinc" ||
                          word == "-fms-extensions" || word == "-fshort-wchar" ||
                          word == "-mms-bitfields" || word == "-ffreestanding" ||
                          word == "-fno-exceptions" || word == "-fno-rtti";
      if (wanted) flags.push_back(word);
      if (word == "-isystem" && i + 1 < count)
        flags.push_back(text_of(clang_CompileCommand_getArg(command, ++i)));
    }
  }
  clang_CompileCommands_dispose(commands);
  return flags;
}

bool write(const fs::path& path, const std::string& text) {
  std::error_code problem;
  fs::create_directories(path.parent_path(), problem);
  std::ofstream out(path, std::ios::binary);
  out << text;
  return out.flush().good();
}

bool read(const fs::path& path, std::string& text) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  text = all.str();
  return in.good();
}

int complain(const std::string& what) {
  std::cerr << "wddm_mutator: " << what << '\n';
  return 1;
}

int mutate_files(Arguments arguments) {
  const fs::path root = fs::weakly_canonical(arguments.options["--root"]);
  const std::string prefix = arguments.options["--prefix"];
  std::vector<MutatedFile> files;
  for (const std::string& name : arguments.files) {
    MutatedFile& file = files.emplace_back();
    file.path = root / name;
    file.name = name.compare(0, prefix.size(), prefix) == 0 ? name.substr(prefix.size()) : name;
    if (!read(file.path, file.text)) return complain(file.path + ": cannot be read");
  }
  CXCompilationDatabase_Error problem = CXCompilationDatabase_NoError;
  const CXCompilationDatabase database =
      clang_CompilationDatabase_fromDirectory(arguments.options["--commands"].c_str(), &problem);
  if (problem != CXCompilationDatabase_NoError)
    return complain(arguments.options["--commands"] + ": no compile_commands.json");
  std::string error;
  for (const std::string& name : arguments.files) {
    const std::string path = root / name;
    if (fs::path(name).extension() != ".cpp") continue;
    if (!look_at(path, flags_of(database, path), files, error)) return complain(error);
  }
  clang_CompilationDatabase_dispose(database);

  std::ostringstream list;
  list << "number\tname\tline\tmutation\n";
  unsigned next = 1;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const MutatedFile& file = files[i];
    const auto mutants = name_mutants(file.mutations, file.name, file.text, next);
    for (const Mutant& one : mutants)
      list << one.number << '\t' << one.name << '\t' << one.line << '\t' << one.about << '\n';
    const fs::path copy = fs::path(arguments.options["--output"]) / arguments.files[i];
    if (!write(copy, rendered(file, next))) return complain(copy.string() + ": cannot be written");
    next += static_cast<unsigned>(mutants.size());
  }
  if (!write(arguments.options["--list"], list.str()))
    return complain(arguments.options["--list"] + ": cannot be written");
  return 0;
}

}  // namespace
}  // namespace wddm::mutants

int main(int argc, char** argv) {
  return wddm::mutants::mutate_files(wddm::mutants::arguments_of(argc, argv));
}
