// The direction of #include lines: each layer uses what stands above it, never what stands below.
//
// The layers and what must not reach them are data: layers.txt beside this file. Checked are quoted
// includes, which are all relative to the root, and for "without" everything reached through them.
// Not checked: what a file could reach by declaring it itself. Folders named tests and bench are
// held to the direction too, but may include test libraries.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace wddm {
namespace {

namespace fs = std::filesystem;

struct Includes {
  std::vector<std::string> quoted;   // relative to the root
  std::vector<std::string> angular;  // of the system
};

struct Restriction {
  std::string folder;
  std::vector<std::string> names;
};

struct Layers {
  std::vector<std::string> order;
  std::vector<Restriction> only;
  std::vector<Restriction> without;
};

bool starts_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}
bool inside(const std::string& path, const std::string& folder) {
  return path == folder || starts_with(path, folder + "/");
}
bool of_tests(const std::string& path) {
  return path.find("/tests/") != std::string::npos || path.find("/bench/") != std::string::npos ||
         path.find("_test.") != std::string::npos;
}

Layers read_layers(std::istream& in) {
  Layers layers;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word[0] == '#') continue;
    Restriction restriction;
    EXPECT_TRUE(words >> restriction.folder) << line;
    if (word == "layer") {
      layers.order.push_back(restriction.folder);
      continue;
    }
    std::string colon;
    EXPECT_TRUE(words >> colon && colon == ":") << line;
    for (std::string name; words >> name;) restriction.names.push_back(name);
    if (word == "only") {
      layers.only.push_back(restriction);
    } else if (word == "without") {
      layers.without.push_back(restriction);
    } else {
      ADD_FAILURE() << "unknown word: " << line;
    }
  }
  return layers;
}

Includes includes_of(std::istream& in) {
  Includes found;
  for (std::string line; std::getline(in, line);) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    const std::size_t word = line.find("include", hash);
    if (word == std::string::npos) continue;
    const std::size_t open = line.find_first_of("\"<", word);
    if (open == std::string::npos) continue;
    const std::size_t close = line.find_first_of("\">", open + 1);
    if (close == std::string::npos) continue;
    auto& list = line[open] == '"' ? found.quoted : found.angular;
    list.push_back(line.substr(open + 1, close - open - 1));
  }
  return found;
}

using Files = std::map<std::string, Includes>;

Files read_files(const fs::path& root) {
  Files files;
  for (const char* top : {"reference", "conformance", "reports", "fuzz"}) {
    if (!fs::exists(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".c" && extension != ".hpp") {
        continue;
      }
      std::ifstream in(entry.path());
      files[fs::relative(entry.path(), root).generic_string()] = includes_of(in);
    }
  }
  return files;
}

// Position of a path in the order; -1 if no layer holds it.
int rank_of(const Layers& layers, const std::string& path) {
  int best = -1;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < layers.order.size(); ++i) {
    if (inside(path, layers.order[i]) && layers.order[i].size() > longest) {
      longest = layers.order[i].size();
      best = static_cast<int>(i);
    }
  }
  return best;
}

// Includes that point at a lower layer, as "file includes file".
std::vector<std::string> wrong_direction(const Layers& layers, const Files& files) {
  std::vector<std::string> wrong;
  for (const auto& [path, includes] : files) {
    for (const std::string& target : includes.quoted) {
      const int to = rank_of(layers, target);
      if (to > rank_of(layers, path)) wrong.push_back(path + " includes " + target);
    }
  }
  return wrong;
}

std::vector<std::string> beyond_only(const Layers& layers, const Files& files) {
  std::vector<std::string> wrong;
  for (const Restriction& only : layers.only) {
    for (const auto& [path, includes] : files) {
      if (!inside(path, only.folder) || of_tests(path)) continue;
      for (const std::string& target : includes.quoted) {
        const bool ours = rank_of(layers, target) >= 0;
        const bool allowed = std::any_of(only.names.begin(), only.names.end(),
                                         [&](const auto& name) { return inside(target, name); });
        if (ours && !allowed) wrong.push_back(path + " includes " + target);
      }
    }
  }
  return wrong;
}

// All files that `start` reaches through quoted includes, itself too.
std::set<std::string> closure_of(const Files& files, const std::string& start) {
  std::set<std::string> reached{start};
  std::vector<std::string> open{start};
  while (!open.empty()) {
    const auto found = files.find(open.back());
    open.pop_back();
    if (found == files.end()) continue;
    for (const std::string& target : found->second.quoted) {
      if (reached.insert(target).second) open.push_back(target);
    }
  }
  return reached;
}

std::vector<std::string> beyond_without(const Layers& layers, const Files& files) {
  std::vector<std::string> wrong;
  for (const Restriction& without : layers.without) {
    for (const auto& [path, unused] : files) {
      if (!inside(path, without.folder) || of_tests(path)) continue;
      for (const std::string& reached : closure_of(files, path)) {
        const auto found = files.find(reached);
        if (found == files.end()) continue;
        for (const std::string& header : found->second.angular) {
          for (const std::string& name : without.names) {
            const bool hit = name.back() == '/' || name == "rapidcheck" || name == "pugixml"
                                 ? starts_with(header, name)
                                 : header == name;
            if (hit) wrong.push_back(path + " reaches <" + header + "> through " + reached);
          }
        }
      }
    }
  }
  return wrong;
}

std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

class TheSources : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path root(WDDM_SOURCE_ROOT);
    std::ifstream in(root / "conformance/layers.txt");
    ASSERT_TRUE(in);
    layers_ = read_layers(in);
    files_ = read_files(root);
    ASSERT_GT(files_.size(), 20u) << "the walk found next to nothing";
  }
  Layers layers_;
  Files files_;
};

TEST_F(TheSources, IncludeOnlyLayersAbove) {
  const auto wrong = wrong_direction(layers_, files_);
  EXPECT_TRUE(wrong.empty()) << lines_of(wrong);
}

TEST_F(TheSources, KeepTheReferenceDriverFreeOfTheHarness) {
  const auto wrong = beyond_only(layers_, files_);
  EXPECT_TRUE(wrong.empty()) << lines_of(wrong);
}

TEST_F(TheSources, KeepHeavyLibrariesOutOfRuleFiles) {
  const auto wrong = beyond_without(layers_, files_);
  EXPECT_TRUE(wrong.empty()) << lines_of(wrong);
}

// The checker itself, on a world small enough to see what it must find.
Layers small_layers() {
  std::istringstream in(
      "# comment\nlayer low\nlayer high\nonly low/pure : low/pure\n"
      "without low : heavy/\n");
  return read_layers(in);
}
Includes including(const std::string& text) {
  std::istringstream in(text);
  return includes_of(in);
}

TEST(LayerCheck, FindsAnIncludeThatPointsDown) {
  const Files files{{"low/a.h", including("#include \"high/b.h\"\n")},
                    {"high/b.h", including("  #  include \"low/a.h\"\n")}};
  EXPECT_EQ(wrong_direction(small_layers(), files),
            std::vector<std::string>{"low/a.h includes high/b.h"});
}

TEST(LayerCheck, FindsAHeavyHeaderBehindAnother) {
  const Files files{{"low/a.cpp", including("#include \"low/b.h\"\n")},
                    {"low/b.h", including("#include <heavy/all.h>\n#include <vector>\n")}};
  EXPECT_EQ(beyond_without(small_layers(), files),
            (std::vector<std::string>{"low/a.cpp reaches <heavy/all.h> through low/b.h",
                                      "low/b.h reaches <heavy/all.h> through low/b.h"}));
}

TEST(LayerCheck, FindsWhatAPureFolderMayNotInclude) {
  const Files files{{"low/pure/a.cpp", including("#include \"low/b.h\"\n#include \"own.h\"\n")}};
  EXPECT_EQ(beyond_only(small_layers(), files),
            std::vector<std::string>{"low/pure/a.cpp includes low/b.h"});
}

}  // namespace
}  // namespace wddm
