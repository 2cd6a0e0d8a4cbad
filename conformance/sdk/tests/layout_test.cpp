// Holds the headers against layout.tsv, row by row, in every way in which they are compiled: as
// host code, as a driver in C, as a driver in C++.
//
// Left out: types of the NT headers (kernel objects belong to our host) and of user mode.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "layout_probe.h"

namespace {

namespace fs = std::filesystem;

struct Row {
  std::string type, kind, member, value;
};

std::vector<std::vector<std::string>> read_table(const char* name) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(fs::path(WDDM_DDI_TABLES) / name);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, '\t');) fields.push_back(field);
    rows.push_back(fields);
  }
  return rows;
}

std::vector<Row> read_layout() {
  std::vector<Row> rows;
  for (const auto& fields : read_table("layout.tsv"))
    rows.push_back({fields.at(0), fields.at(1), fields.at(2), fields.at(3)});
  return rows;
}

using ProbeFunction = unsigned (*)(LayoutProbe*, unsigned);

std::vector<LayoutProbe> run(ProbeFunction probe) {
  std::vector<LayoutProbe> probes(probe(nullptr, 0));
  probe(probes.data(), static_cast<unsigned>(probes.size()));
  return probes;
}

std::string text_of(const LayoutProbe& probe) {
  std::string value = std::to_string(probe.value);
  if (std::string(probe.kind) == "bits") value += ":" + std::to_string(probe.width);
  return value;
}

/// "TYPE.member: kind is A, the table says B" for each row of this kind that does not hold.
std::vector<std::string> differences(const std::vector<LayoutProbe>& probes,
                                     const std::vector<Row>& rows, const std::string& kind) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].kind != kind) continue;
    const std::string seen = text_of(probes.at(i));
    if (seen != rows[i].value)
      found.push_back(rows[i].type + "." + rows[i].member + ": " + kind + " is " + seen +
                      ", the table says " + rows[i].value);
  }
  return found;
}

struct Mode {
  const char* name;
  ProbeFunction probe;
};
void PrintTo(const Mode& mode, std::ostream* out) {
  *out << mode.name;
}

class Layout : public testing::TestWithParam<Mode> {
 protected:
  void expect_none_differ(const std::string& kind) {
    const auto rows = read_layout();
    const auto probes = run(GetParam().probe);
    ASSERT_EQ(probes.size(), rows.size());
    for (const auto& difference : differences(probes, rows, kind)) ADD_FAILURE() << difference;
  }
};

TEST_P(Layout, ProbesAreTheRowsOfTheTable) {
  const auto rows = read_layout();
  const auto probes = run(GetParam().probe);
  ASSERT_EQ(probes.size(), rows.size());
  ASSERT_GT(rows.size(), 4000u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(probes[i].type, rows[i].type);
    EXPECT_EQ(probes[i].kind, rows[i].kind);
    EXPECT_EQ(probes[i].member, rows[i].member);
  }
}

TEST_P(Layout, SizesHold) {
  expect_none_differ("size");
}
TEST_P(Layout, OffsetsHold) {
  expect_none_differ("offset");
}
TEST_P(Layout, BitFieldsHold) {
  expect_none_differ("bits");
}
TEST_P(Layout, EnumeratorsHold) {
  expect_none_differ("enum");
}

INSTANTIATE_TEST_SUITE_P(Builds, Layout,
                         testing::Values(Mode{"host", wddm_layout_host},
                                         Mode{"driver_c", wddm_layout_driver_c},
                                         Mode{"driver_cxx", wddm_layout_driver_cxx}),
                         [](const auto& build) { return std::string(build.param.name); });

TEST(LayoutTest, WrongRowsAreNoticed) {
  auto rows = read_layout();
  const auto probes = run(wddm_layout_host);
  for (const std::string kind : {"size", "offset", "bits", "enum"}) {
    auto row = std::find_if(rows.begin(), rows.end(), [&](auto& r) { return r.kind == kind; });
    ASSERT_NE(row, rows.end());
    row->value = kind == "bits" ? "7:99" : "-77";
    EXPECT_EQ(differences(probes, rows, kind).size(), 1u) << kind;
  }
}

/// The text of all display-driver headers, without comments.
std::map<std::string, std::string> header_texts() {
  std::map<std::string, std::string> texts;
  for (const char* folder : {"d3dukmdt", "d3dkmdt", "d3dkmthk", "d3dkmddi", "dispmprt"})
    for (const auto& entry : fs::directory_iterator(fs::path(WDDM_DDI_FOLDER) / folder)) {
      std::ifstream file(entry.path());
      std::ostringstream text;
      for (std::string line; std::getline(file, line);)
        text << line.substr(0, line.find("//")) << '\n';
      texts[std::string(folder) + "/" + entry.path().filename().string()] = text.str();
    }
  return texts;
}

bool in_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}

/// The identifier that begins at `from`.
std::string word_at(const std::string& text, std::size_t from) {
  std::size_t to = from;
  while (to < text.size() && in_word(text[to])) ++to;
  return text.substr(from, to - from);
}

std::set<std::string> words_of_headers() {
  std::set<std::string> words;
  for (const auto& [name, text] : header_texts())
    for (std::size_t i = 0; i < text.size(); ++i)
      if (in_word(text[i]) && (i == 0 || !in_word(text[i - 1]))) words.insert(word_at(text, i));
  return words;
}

/// Every structure, union and enum that the headers define: a definition ends with "} NAME".
std::set<std::string> types_of_headers() {
  const std::string end_of_definition = "\n} ";
  std::set<std::string> types;
  for (const auto& [name, text] : header_texts())
    for (auto at = text.find(end_of_definition); at != std::string::npos;
         at = text.find(end_of_definition, at + 1))
      types.insert(word_at(text, at + end_of_definition.size()));
  return types;
}

TEST(LayoutScope, EveryTypeOfTheHeadersIsProbedOrListedAsUnsourced) {
  std::set<std::string> known;
  for (const auto& row : read_layout()) known.insert(row.type);
  for (const auto& fields : read_table("layout_scope.tsv"))
    if (fields.at(1) == "unsourced") known.insert(fields[0]);
  for (const auto& type : types_of_headers())
    EXPECT_TRUE(known.count(type)) << type << " is in the headers but has no row in layout.tsv";
}

TEST(LayoutScope, EveryRowIsAboutATypeOfTheHeaders) {
  const auto types = types_of_headers();
  for (const auto& row : read_layout())
    EXPECT_TRUE(types.count(row.type)) << row.type << " is not defined by a display-driver header";
}

TEST(LayoutScope, AbsentTypesAreAbsent) {
  const auto words = words_of_headers();
  for (const auto& fields : read_table("layout_scope.tsv")) {
    if (fields.at(1) != "absent") continue;
    EXPECT_FALSE(words.count(fields[0])) << fields[0] << " is used unprobed: " << fields.at(2);
  }
}

TEST(LayoutScope, EveryEntryHasAStateAndAReason) {
  for (const auto& fields : read_table("layout_scope.tsv")) {
    ASSERT_EQ(fields.size(), 3u) << fields.at(0);
    EXPECT_TRUE(fields[1] == "absent" || fields[1] == "unsourced") << fields[0];
    EXPECT_FALSE(fields[2].empty()) << fields[0];
  }
}

}  // namespace
