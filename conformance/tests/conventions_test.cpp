// What the whole tree holds to, so that a reader finds things where he looks for them: no default
// over an enum of ours, names of files once, tests in folders of tests, no class over several
// sources, no source that is too long.
//
// Checked is text, with comments and literals blanked: what stands in macros, and enums that are
// not `enum class`, are not seen. Exceptions stand below, each with its reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace wddm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLines = 450;

// Classes whose members may be defined in more than one source.
const std::map<std::string, std::string> kClassesOverSources = {
    {"vidsch::Scheduler", "choice, reports and validation are three ideas of one state"},
    {"vidmm::VidMm", "residency is an idea of its own over the same lists"},
    {"gpummu::AddressSpace", "mappings, and the life of tables, are two ideas of one state"},
    {"gpuva::Residency", "counts and queues, and what leaves for what, are two ideas of one state"},
    {"gpuva::VaRanges", "an update of many ranges is done or refused as a whole: its own idea"},
    {"wddm::Interposer", "its callbacks are made from the rows of callback.def"},
    {"host::AddressSpaces", "spaces and their memory, and what decisions become, are two ideas"},
    {"host::Adapter", "the queries, and links, are ideas over its one record of the driver"},
    {"host::VidSchWorker", "recovery from timeouts is an idea of its own between submissions"},
    {"nt::Image", "the fake host has one of its own; a program links one of them"},
};
// Sources with a default over an enum of ours.
const std::map<std::string, std::string> kDefaults = {};

struct Source {
  std::string path;  // from the root on
  std::string code;  // comments and literals blanked, lines kept
};
using Sources = std::vector<Source>;

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
bool ends_with(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Index behind a literal that begins at `at` with a quote. Raw strings end at their own delimiter.
std::size_t end_of_literal(const std::string& text, std::size_t at) {
  const char quote = text[at];
  if (quote == '"' && at > 0 && text[at - 1] == 'R') {
    const std::size_t open = text.find('(', at);
    if (open == std::string::npos) return text.size();
    const std::string end = ")" + text.substr(at + 1, open - at - 1) + "\"";
    const std::size_t close = text.find(end, open);
    return close == std::string::npos ? text.size() : close + end.size();
  }
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// Whether a quote parts the digits of a number.
bool parts_digits(const std::string& text, std::size_t at) {
  std::size_t first = at;
  while (first > 0 && (is_word(text[first - 1]) || text[first - 1] == '\'')) --first;
  return first < at && std::isdigit(static_cast<unsigned char>(text[first])) != 0;
}

std::string code_of(const std::string& text) {
  std::string code = text;
  const auto blank = [&code](std::size_t from, std::size_t to) {
    for (; from < to; ++from) {
      if (code[from] != '\n') code[from] = ' ';
    }
    return to;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, 2, "//") == 0) {
      at = blank(at, std::min(text.find('\n', at), text.size()));
    } else if (text.compare(at, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", at + 2);
      at = blank(at, close == std::string::npos ? text.size() : close + 2);
    } else if (text[at] == '"' || (text[at] == '\'' && !parts_digits(text, at))) {
      at = blank(at, end_of_literal(text, at));
    } else {
      ++at;
    }
  }
  return code;
}

std::size_t line_of(const std::string& code, std::size_t at) {
  return 1 + static_cast<std::size_t>(
                 std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

bool word_at(const std::string& code, std::size_t at, std::string_view word) {
  return code.compare(at, word.size(), word) == 0 && (at == 0 || !is_word(code[at - 1])) &&
         (at + word.size() == code.size() || !is_word(code[at + word.size()]));
}

std::size_t next_word(const std::string& code, std::string_view word, std::size_t at) {
  while ((at = code.find(word, at)) != std::string::npos && !word_at(code, at, word)) ++at;
  return at;
}

std::size_t behind_blanks(const std::string& code, std::size_t at) {
  while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at])) != 0) ++at;
  return at;
}

// An identifier, or several with :: between.
std::string name_at(const std::string& code, std::size_t at) {
  const std::size_t first = behind_blanks(code, at);
  std::size_t end = first;
  while (end < code.size() && (is_word(code[end]) || code[end] == ':')) ++end;
  return code.substr(first, end - first);
}

// -------------------------------------------------------------------------------- no default

std::set<std::string> enums_of(const Sources& sources) {
  std::set<std::string> names;
  for (const Source& source : sources) {
    const std::string& code = source.code;
    for (std::size_t at = 0; (at = next_word(code, "enum", at)) != std::string::npos; ++at) {
      const std::size_t next = behind_blanks(code, at + 4);
      if (!word_at(code, next, "class")) continue;
      const std::string name = name_at(code, next + 5);
      names.insert(name.substr(0, name.find(':')));
    }
  }
  return names;
}

// Of a label "case a::Enum::Value:" the enum; empty for others.
std::string enum_of_label(std::string label) {
  while (ends_with(label, ":")) label.pop_back();
  const std::size_t value = label.rfind("::");
  if (value == std::string::npos) return {};
  const std::size_t scope = label.rfind("::", value - 1);
  const std::size_t first = scope == std::string::npos ? 0 : scope + 2;
  return label.substr(first, value - first);
}

// Where the default of a switch stands that begins at `at` and has labels of one of `enums`; npos
// if there is none.
std::size_t wrong_default(const std::string& code, std::size_t at,
                          const std::set<std::string>& enums) {
  std::size_t found = std::string::npos;
  bool ours = false;
  std::size_t depth = 0;
  for (std::size_t i = code.find('{', at); i < code.size(); ++i) {
    if (code[i] == '{') ++depth;
    if (code[i] == '}' && --depth == 0) break;
    if (depth != 1) continue;
    if (word_at(code, i, "case")) {
      ours |= enums.count(enum_of_label(name_at(code, i + 4))) != 0;
    } else if (word_at(code, i, "default") && code[behind_blanks(code, i + 7)] == ':') {
      found = i;
    }
  }
  return ours ? found : std::string::npos;
}

std::vector<std::string> wrong_defaults(const Sources& sources) {
  const std::set<std::string> enums = enums_of(sources);
  std::vector<std::string> wrong;
  for (const Source& source : sources) {
    if (kDefaults.count(source.path) != 0) continue;
    const std::string& code = source.code;
    for (std::size_t at = 0; (at = next_word(code, "switch", at)) != std::string::npos; ++at) {
      const std::size_t found = wrong_default(code, at, enums);
      if (found == std::string::npos) continue;
      wrong.push_back(source.path + ":" + std::to_string(line_of(code, found)));
    }
  }
  return wrong;
}

// ------------------------------------------------------------------------------------- files

std::vector<std::string> names_twice(const Sources& sources) {
  std::map<std::string, std::vector<std::string>> by_name;
  for (const Source& source : sources) {
    // Headers of the driver kit before, for those who still include them there.
    if (starts_with(source.path, "conformance/plugin/")) continue;
    by_name[fs::path(source.path).filename().string()].push_back(source.path);
  }
  std::vector<std::string> wrong;
  for (const auto& [name, paths] : by_name) {
    for (std::size_t i = 1; i < paths.size(); ++i) wrong.push_back(paths[i] + " and " + paths[0]);
  }
  return wrong;
}

std::vector<std::string> too_long(const Sources& sources) {
  std::vector<std::string> wrong;
  for (const Source& source : sources) {
    const std::size_t lines = line_of(source.code, source.code.size()) - 1;
    if (lines > kMostLines) wrong.push_back(source.path + " has " + std::to_string(lines));
  }
  return wrong;
}

std::vector<std::string> tests_elsewhere(const Sources& sources) {
  std::vector<std::string> wrong;
  for (const Source& source : sources) {
    const fs::path path(source.path);
    if (ends_with(source.path, "_test.cpp") && path.parent_path().filename() != "tests") {
      wrong.push_back(source.path);
    }
  }
  return wrong;
}

// ----------------------------------------------------------------------------------- classes

// The innermost namespace that a line opens; empty if it opens none with a name.
std::string opened_namespace(const std::string& line) {
  if (!starts_with(line, "namespace ") || line.find('=') != std::string::npos) return {};
  const std::string name = name_at(line, 10);
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

// Calls `take` with each line at the left margin and the namespace it stands in.
template <class Take>
void for_each_outer_line(const Source& source, Take take) {
  std::istringstream in(source.code);
  std::string innermost;
  for (std::string line; std::getline(in, line);) {
    if (const std::string name = opened_namespace(line); !name.empty()) innermost = name;
    if (!line.empty() && is_word(line[0])) take(line, innermost);
  }
}

std::set<std::string> classes_of(const Sources& sources) {
  std::set<std::string> classes;
  for (const Source& source : sources) {
    for_each_outer_line(source, [&](const std::string& line, const std::string& space) {
      for (const std::string_view word : {"class", "struct"}) {
        if (!word_at(line, 0, word) || line.find(';') != std::string::npos) continue;
        const std::string name = name_at(line, word.size());
        if (!name.empty()) classes.insert(space + "::" + name.substr(0, name.find(':')));
      }
    });
  }
  return classes;
}

// Of the first line of a definition "Type Class::member(" the class; empty for other lines.
std::string owner_of(const std::string& line) {
  const std::size_t open = line.find('(');
  const std::string head = line.substr(0, open);
  if (open == std::string::npos || head.find_first_of("=;{") != std::string::npos) return {};
  const std::size_t scope = head.rfind("::");
  if (scope == std::string::npos || head.find(' ', scope) != std::string::npos) return {};
  std::size_t first = scope;
  while (first > 0 && is_word(head[first - 1])) --first;
  return head.substr(first, scope - first);
}

std::vector<std::string> classes_over_sources(const Sources& sources) {
  const std::set<std::string> classes = classes_of(sources);
  std::map<std::string, std::set<std::string>> places;
  for (const Source& source : sources) {
    if (!ends_with(source.path, ".cpp")) continue;
    for_each_outer_line(source, [&](const std::string& line, const std::string& space) {
      const std::string name = space + "::" + owner_of(line);
      if (classes.count(name) != 0) places[name].insert(source.path);
    });
  }
  std::vector<std::string> wrong;
  for (const auto& [name, paths] : places) {
    if (paths.size() < 2 || kClassesOverSources.count(name) != 0) continue;
    std::string line = name + ":";
    for (const std::string& path : paths) line += " " + path;
    wrong.push_back(line);
  }
  return wrong;
}

// ----------------------------------------------------------------------------------- the tree

Sources read_sources(const fs::path& root) {
  Sources sources;
  for (const char* top : {"reference", "conformance", "reports", "fuzz"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string path = fs::relative(entry.path(), root).generic_string();
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".c") continue;
      // The names there are those of Windows.
      if (starts_with(path, "conformance/sdk/ddi/")) continue;
      if (path.find("testdata/") != std::string::npos) continue;
      std::ifstream in(entry.path());
      std::ostringstream text;
      text << in.rdbuf();
      sources.push_back({path, code_of(text.str())});
    }
  }
  std::sort(sources.begin(), sources.end(),
            [](const Source& a, const Source& b) { return a.path < b.path; });
  return sources;
}

// Without the drivers, which are written as a vendor would.
Sources without_drivers(Sources sources) {
  std::erase_if(sources, [](const Source& source) {
    return starts_with(source.path, "conformance/drivers/");
  });
  return sources;
}

std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

class Conventions : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    all_ = read_sources(WDDM_SOURCE_ROOT);
    ours_ = without_drivers(all_);
  }
  void SetUp() override { ASSERT_GT(ours_.size(), 100u) << "the walk found next to nothing"; }
  static inline Sources all_, ours_;
};

TEST_F(Conventions, EveryValueOfAnEnumIsSpelledOut) {
  EXPECT_EQ(lines_of(wrong_defaults(ours_)), "") << "spell the other values out, or write ifs";
}
TEST_F(Conventions, NamesOfFilesAreUnique) {
  EXPECT_EQ(lines_of(names_twice(all_)), "");
}
TEST_F(Conventions, NoSourceIsTooLong) {
  EXPECT_EQ(lines_of(too_long(all_)), "") << "at most " << kMostLines << "; cut by idea";
}
TEST_F(Conventions, TestsLieInFoldersOfTests) {
  EXPECT_EQ(lines_of(tests_elsewhere(all_)), "");
}
TEST_F(Conventions, EveryClassIsDefinedInOneSource) {
  EXPECT_EQ(lines_of(classes_over_sources(ours_)), "") << "cut by idea, not by length";
}

// An exception that nothing needs any more goes.
TEST_F(Conventions, EveryExceptionIsOfSomethingThatIsThere) {
  const std::set<std::string> classes = classes_of(ours_);
  for (const auto& [name, reason] : kClassesOverSources) {
    EXPECT_EQ(classes.count(name), 1u) << name << " is no class any more; it " << reason;
  }
  for (const auto& [path, reason] : kDefaults) {
    EXPECT_TRUE(fs::exists(fs::path(WDDM_SOURCE_ROOT) / path)) << path << " " << reason;
  }
}

// The checker itself, on sources small enough to see what it must find.
Sources one(const std::string& path, const std::string& text) {
  return {{path, code_of(text)}};
}
using Names = std::vector<std::string>;

TEST(ConventionCheck, FindsADefaultAmongLabelsOfAnEnum) {
  const std::string kind = "enum class Kind { A, B };\n";
  EXPECT_EQ(
      wrong_defaults(one("a.cpp", kind + "switch (k) {\n case x::Kind::A: {\n }\n default:\n}")),
      Names{"a.cpp:5"});
  EXPECT_EQ(wrong_defaults(one("a.cpp", kind + "switch (n) { case 1: break; default: break; }")),
            Names{});
  // One switch inside another; words in comments and literals; a default elsewhere.
  EXPECT_EQ(wrong_defaults(one("a.cpp", kind + "switch (n) { case 1: switch (k) { case Kind::A: "
                                               "break; } default: break; }")),
            Names{});
  EXPECT_EQ(wrong_defaults(one("a.cpp", kind + "switch (k) { case Kind::A: /* default: */ f(\"}\", "
                                               "'}', 1'000, R\"x(default:)x\"); }\n"
                                               "struct S { S() = default; };")),
            Names{});
}

TEST(ConventionCheck, FindsNamesTwice) {
  EXPECT_EQ(names_twice({{"a/x.h", ""}, {"b/x.h", ""}, {"b/y.h", ""}}), Names{"b/x.h and a/x.h"});
}

TEST(ConventionCheck, FindsLongSources) {
  EXPECT_EQ(too_long(one("a.h", std::string(kMostLines, '\n'))), Names{});
  EXPECT_EQ(too_long(one("a.h", std::string(kMostLines + 1, '\n'))), Names{"a.h has 451"});
}

TEST(ConventionCheck, FindsTestsElsewhere) {
  EXPECT_EQ(tests_elsewhere({{"a/tests/x_test.cpp", ""}, {"a/y_test.cpp", ""}}),
            Names{"a/y_test.cpp"});
}

TEST(ConventionCheck, FindsAClassOverTwoSources) {
  const std::string header = "namespace a::b {\nclass Box final {\n};\nstruct Bag {\n};\n}\n";
  const std::string first = "namespace a::b {\nint Box::size() const {\n}\nBag::Bag() {\n}\n}\n";
  const auto sources = [&](const std::string& second) {
    return Sources{{"box.h", header}, {"one.cpp", first}, {"two.cpp", second}};
  };
  EXPECT_EQ(classes_over_sources(sources("namespace a::b {\nBox::~Box() = default;\n}\n")),
            Names{"b::Box: one.cpp two.cpp"});
  EXPECT_EQ(classes_over_sources(sources("namespace a::b {\nint n = Box::make();\n"
                                         "std::string f(Box::Kind kind) {\n}\n}\n")),
            Names{});
  EXPECT_EQ(classes_over_sources(sources("namespace c {\nint Box::size() {\n}\n}\n")), Names{});
}

}  // namespace
}  // namespace wddm
