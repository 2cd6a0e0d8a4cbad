// The YAML form of scenarios: what is printed, what is read, and that one undoes the other.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reference/trace/op.h"
#include "reference/trace/tests/generators.h"

namespace wddm {
namespace {

Scenario read(const std::string& text) {
  Scenario scenario;
  TextError error;
  EXPECT_TRUE(parse_scenario(text, "test.yaml", scenario, error)) << error.message;
  return scenario;
}

std::vector<Op> read_ops(const std::string& ops) {
  return read("ops:\n" + ops).ops;
}

RC_GTEST_PROP(OpYaml, ReadUndoesPrint, ()) {
  const Scenario scenario = *test::canonical_scenario();
  const std::string text = print_scenario(scenario);
  Scenario again;
  TextError error;
  if (!parse_scenario(text, "test.yaml", again, error)) RC_FAIL(error.message + "\n" + text);
  RC_ASSERT(again.name == scenario.name);
  RC_ASSERT(again.about == scenario.about);
  RC_ASSERT(again.ops == scenario.ops);
  RC_ASSERT(print_scenario(again) == text);
}

RC_GTEST_PROP(OpYaml, WhateverIsPrintedCanBeRead,
              (const std::string& name, const std::string& about)) {
  Scenario scenario;
  scenario.name = name;
  scenario.about = about;
  scenario.ops = *rc::gen::container<std::vector<Op>>(test::any_op());
  const std::string text = print_scenario(scenario);
  Scenario again;
  TextError error;
  if (!parse_scenario(text, "test.yaml", again, error)) RC_FAIL(error.message + "\n" + text);
  RC_ASSERT(print_scenario(again) == text);
}

RC_GTEST_PROP(OpYaml, EveryOpHasALineThatReadsAsThatOp, ()) {
  const Op op = *test::canonical_op();
  RC_ASSERT(read_ops("- " + print_op(op) + "\n") == std::vector<Op>{op});
}

TEST(OpYaml, PrintsInOneStyle) {
  const std::string text = test::file_text("testdata/valid/style.yaml");
  EXPECT_EQ(print_scenario(read(text)), text);
}

TEST(OpYaml, EverySpellingMeansTheSame) {
  const Scenario loose = read(test::file_text("testdata/valid/spellings.yaml"));
  EXPECT_EQ(print_scenario(loose), test::file_text("testdata/valid/spellings.printed.yaml"));
}

TEST(OpYaml, LongestTextsCanBeReadBack) {
  Scenario scenario;
  scenario.name = std::string(200, '"');
  while (scenario.about.size() < 16384) scenario.about += "\xC2\x85";
  const Scenario again = read(print_scenario(scenario));
  EXPECT_EQ(again.name, scenario.name);
  EXPECT_EQ(again.about, scenario.about);
}

TEST(OpYaml, MostOpsCanBeReadBack) {
  Scenario scenario;
  scenario.ops.assign(kMaxOps, canonical(Op{OpKind::Fill, 1, 0, 0, 4, 8, 15}));
  EXPECT_EQ(read(print_scenario(scenario)).ops, scenario.ops);
}

TEST(OpYaml, TextOutsideTheLimitsIsBroughtInside) {
  Scenario scenario;
  scenario.name = std::string("a\0b\nc\xff", 6) + std::string(300, 'd');
  const std::string name = read(print_scenario(scenario)).name;
  EXPECT_EQ(name.substr(0, 12),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD"
            "c\xEF\xBF\xBD");
  EXPECT_LE(name.size(), 200u);
}

// Readers of YAML 1.1 break lines there.
TEST(OpYaml, LineSeparatorsOfUnicodeAreEscaped) {
  Scenario scenario;
  scenario.name = "a\xE2\x80\xA8";
  scenario.about = "b\n\xE2\x80\xA9\xC2\x85\n";
  EXPECT_EQ(print_scenario(scenario),
            "name: \"a\\u2028\"\nabout: \"b\\n\\u2029\\u0085\\n\"\nops: []\n");
}

TEST(OpYaml, EscapesReachEveryCharacter) {
  const Scenario scenario = read("name: \"a\\Nb\\_\\L\"\nabout: \"\\x85\\U0010FFFF\"\nops: []\n");
  EXPECT_EQ(scenario.name,
            "a\xC2\x85"
            "b\xC2\xA0\xE2\x80\xA8");
  EXPECT_EQ(scenario.about, "\xC2\x85\xF4\x8F\xBF\xBF");
}

TEST(OpYaml, MissingFieldsTakeTheirDefaults) {
  const Op fill{OpKind::Fill, 0, 0, 0, 0, 4096, 0x01020304};
  EXPECT_EQ(read_ops("- fill\n- fill:\n- fill: {}\n"), std::vector<Op>(3, fill));
}

TEST(OpYaml, NumbersMayBeHexOrDecimal) {
  const Op op = canonical(Op{OpKind::Add, 0, 0, 0, 16, 0, 255});
  EXPECT_EQ(read_ops("- add: {offset: 0x10, value: 0xfF}\n"), std::vector<Op>{op});
}

TEST(OpYaml, LimitsThemselvesAreAllowed) {
  const std::vector<Op> ops = read_ops(
      "- create_allocation: {allocation: 255, pages: 1}\n- create_allocation: {pages: 4096}\n"
      "- fill: {value: 0xffffffff}\n- add: {value: 4294967295}\n");
  EXPECT_EQ(ops[0].a, 255);
  EXPECT_EQ(ops[1].x, 4096u);
  EXPECT_EQ(ops[2].z, 0xffffffffu);
  EXPECT_EQ(ops[3].z, 0xffffffffu);
}

TEST(OpYaml, LinesOfOpsAreKept) {
  const Scenario scenario = read("# one\nops:\n- idle\n\n- fill:\n    slot: 1\n- {render: {}}\n");
  EXPECT_EQ(scenario.lines, (std::vector<std::uint32_t>{3, 5, 7}));
}

TEST(OpYaml, KeysStandInAnyOrder) {
  const Scenario scenario = read("ops: [idle]\nabout: b\nname: a\n");
  EXPECT_EQ(scenario.name, "a");
  EXPECT_EQ(scenario.about, "b");
  EXPECT_EQ(scenario.ops, std::vector<Op>{Op{OpKind::Idle}});
}

TEST(OpYaml, ScenarioMayBeEmpty) {
  EXPECT_TRUE(read("ops: []\n").ops.empty());
  EXPECT_EQ(print_scenario(Scenario{}), "ops: []\n");
}

TEST(OpYaml, NothingOfAnEarlierScenarioRemains) {
  Scenario scenario;
  TextError error;
  ASSERT_TRUE(parse_scenario("name: a\nabout: b\nops: [idle]\n", "1", scenario, error));
  ASSERT_TRUE(parse_scenario("ops: [stop]\n", "2", scenario, error));
  EXPECT_EQ(print_scenario(scenario), "ops:\n- stop\n");
  EXPECT_EQ(scenario.lines.size(), 1u);
}

TEST(PrintOp, OutOfRangeValuesAreBroughtInside) {
  EXPECT_EQ(print_op(Op{OpKind::CreateAllocation, 1, 77, 0, 0}),
            "create_allocation: {allocation: 1, place: aperture}");
}

TEST(PrintOp, UnassignedKindIsNone) {
  EXPECT_EQ(print_op(Op{static_cast<OpKind>(250), 1}), "none");
}

}  // namespace
}  // namespace wddm
