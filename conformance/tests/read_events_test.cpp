// Whatever the host notices in a trace is read by a rule, or is known to only explain.
//
// Told from the sources: a rule reads a kind by naming it, `ev::X` or `EventKind::X`. That a check
// does the right thing with it is for its own tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace wddm {
namespace {

namespace fs = std::filesystem;

// What no rule has to read, and why.
const std::map<std::string, std::string> kExplain{
    {"BugChecked", "an outcome of the run, which the judge reads"},
    {"Crashed", "an outcome of the run, which the judge reads"},
    {"DebugPrint", "the driver's own words"},
    {"PlugInsLoaded", "what platform_of() reads, and through it every rule"},
    {"DeviceLacks", "what platform_of() reads, for what would let more be judged"},
    {"DdisFilled", "what platform_of() reads, and through it every rule"},
    {"DmaBytes", "bytes for people: Decoded says what they mean, Patched which of them changed"},
    {"ContentsRead", "compared between two runs by fuzz/properties, and no rule sees two"},
};

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::set<std::string> kinds_of(const std::string& text, const std::regex& pattern) {
  std::set<std::string> kinds;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    kinds.insert((*at)[1]);
  }
  return kinds;
}

class ReadEvents : public ::testing::Test {
 protected:
  ReadEvents() {
    const fs::path root = WDDM_SOURCE_ROOT;
    // At the start of a line: the head of the table says how rows are written.
    std::istringstream table(text_of(root / "reference/trace/event.def"));
    for (std::string line; std::getline(table, line);) {
      std::smatch row;
      if (std::regex_search(line, row, std::regex("^EVENT\\((\\w+),"))) all.insert(row[1]);
    }
    const std::regex named("\\b(?:ev|EventKind)::(\\w+)");
    for (const auto& entry : fs::recursive_directory_iterator(root / "conformance/rules")) {
      const fs::path& path = entry.path();
      const bool is_source = path.extension() == ".cpp" || path.extension() == ".h";
      if (!is_source || path.parent_path().filename() == "tests") continue;
      read.merge(kinds_of(text_of(path), named));
    }
  }
  std::set<std::string> all, read;
};

TEST_F(ReadEvents, EachIsReadByARuleOrOnlyExplains) {
  ASSERT_GT(all.size(), 90u);
  for (const std::string& kind : all) {
    EXPECT_TRUE(read.count(kind) != 0 || kExplain.count(kind) != 0)
        << kind << ": the host taps it and no rule reads it";
  }
}

TEST_F(ReadEvents, WhatOnlyExplainsIsThereAndReadByNone) {
  for (const auto& [kind, why] : kExplain) {
    EXPECT_EQ(all.count(kind), 1u) << kind;
    EXPECT_EQ(read.count(kind), 0u) << kind << ": a rule reads it";
    EXPECT_FALSE(why.empty()) << kind;
  }
}

}  // namespace
}  // namespace wddm
